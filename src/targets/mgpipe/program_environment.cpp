// SPDX-License-Identifier: MIT
// The environment of a program; see program_environment.h.
#include "program_environment.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <glob.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "places.h"

extern char **environ;

static std::string variable(const char *name) {
    const char *text = getenv(name);
    return text ? text : "";
}

std::vector<std::pair<std::string, std::string>> program_environment(const Places &places,
                                                                     const RunOptions &options) {
    std::vector<std::pair<std::string, std::string>> set;
    if (options.driver)
        set.emplace_back("MGPIPE_DRIVER", options.driver);
    if (options.form)
        set.emplace_back("MGPIPE_FORM", options.form);
    if (options.host)
        set.emplace_back("MGPIPE_HOST", options.host);
    set.emplace_back("__EGL_VENDOR_LIBRARY_FILENAMES", places.manifest);
    set.emplace_back("__GLX_VENDOR_LIBRARY_NAME", "mgpipe");
    if (!places.in_system) {
        const std::string before = variable("LD_LIBRARY_PATH");
        set.emplace_back("LD_LIBRARY_PATH",
                         before.empty() ? places.library_dir : places.library_dir + ":" + before);
    }
    if (!places.server.empty() && variable("MGPIPE_SERVER").empty())
        set.emplace_back("MGPIPE_SERVER", places.server);
    return set;
}

// An abstract name begins with '@'.
static bool answers(const std::string &path) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        return false;
    memcpy(address.sun_path, path.data(), path.size());
    if (path[0] == '@')
        address.sun_path[0] = 0;
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
    const bool ok = !connect(fd, reinterpret_cast<const sockaddr *>(&address), length);
    close(fd);
    return ok;
}

// Servers on other machines are left to the program.
static bool x_answers(const std::string &display) {
    const std::string name = display.rfind("unix:", 0) == 0 ? display.substr(4) : display;
    if (name[0] != ':')
        return true;
    const std::string number = name.substr(1, name.find('.') - 1);
    const std::string path = "/tmp/.X11-unix/X" + number;
    return answers(path) || answers("@" + path);
}

static bool wayland_answers(const std::string &display) {
    return answers(display[0] == '/' ? display : variable("XDG_RUNTIME_DIR") + "/" + display);
}

std::string display_problem() {
    const std::string x = variable("DISPLAY");
    const std::string wayland = variable("WAYLAND_DISPLAY");
    if (x.empty() && wayland.empty() && variable("WAYLAND_SOCKET").empty())
        return "no display: neither DISPLAY nor WAYLAND_DISPLAY is set";
    if (!x.empty() && !x_answers(x))
        return "no display: nobody answers at DISPLAY=" + x;
    if (!wayland.empty() && !wayland_answers(wayland))
        return "no display: nobody answers at WAYLAND_DISPLAY=" + wayland;
    return {};
}

static bool matters(const char *entry) {
    static constexpr const char *prefixes[] = {
        "MGPIPE_",     "MESA_",        "VK_",         "GALLIUM_", "LIBGL_",
        "LP_",         "ZINK_",        "DRI_PRIME",   "__EGL_",   "__GLX_",
        "__GL_",       "EGL_",         "DISPLAY=",    "WAYLAND_", "DRIRC_",
        "XDG_RUNTIME", "XDG_SESSION_", "LD_PRELOAD=", "vblank_",  "LD_LIBRARY_PATH"};
    return std::any_of(std::begin(prefixes), std::end(prefixes),
                       [entry](const char *p) { return !strncmp(entry, p, strlen(p)); });
}

static void print_files(const std::string &pattern) {
    glob_t found;
    if (!glob(pattern.c_str(), 0, nullptr, &found))
        for (size_t i = 0; i < found.gl_pathc; ++i)
            printf("  %s\n", found.gl_pathv[i]);
    globfree(&found);
}

void print_surroundings() {
    printf("set here:\n");
    for (char **e = environ; *e; ++e)
        if (!strncmp(*e, "MGPIPE_TOKEN=", 13))
            printf("  MGPIPE_TOKEN=(set)\n"); // people paste this into reports
        else if (matters(*e))
            printf("  %s\n", *e);
    printf("host configuration files:\n");
    const std::string folder = variable("DRIRC_CONFIGDIR");
    print_files((folder.empty() ? "/usr/share/drirc.d" : folder) + "/*.conf");
    print_files("/etc/drirc");
    print_files(variable("HOME") + "/.drirc");
    const std::string problem = display_problem();
    printf("display: %s\n", problem.empty() ? "answers" : problem.c_str());
}
