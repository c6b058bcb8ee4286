// SPDX-License-Identifier: MIT
// Where the token comes from; see token.h.
#include "token.h"

#include "descriptor.h"

#include "util/env.h"
#include "util/log.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace remote {
namespace {

// Null when the file may hold a secret, else why not.
const char *distrust(int fd) {
    struct stat st;
    if (fstat(fd, &st) != 0)
        return strerror(errno);
    if (!S_ISREG(st.st_mode))
        return "it is no file";
    if (st.st_uid != geteuid() && st.st_uid != 0)
        return "it belongs to another user";
    if (st.st_mode & 077)
        return "others can read it (chmod 600)";
    return nullptr;
}

bool read_file(const char *path, std::string *text) {
    const int fd = above_standard(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    const char *wrong = fd < 0 ? strerror(errno) : distrust(fd);
    text->resize(most_token + 2);
    const ssize_t n = wrong ? 0 : read(fd, text->data(), text->size());
    if (n < 0)
        wrong = strerror(errno);
    if (wrong)
        log_error("remote", "token file %s: %s", path, wrong);
    if (fd >= 0)
        close(fd);
    text->resize(n > 0 ? static_cast<size_t>(n) : 0);
    return !wrong;
}

} // namespace

bool load_token(const char *file, std::string *token) {
    token->clear();
    if (!file || !*file)
        file = util::env_text(util::Env::TOKEN_FILE);
    if (*file) {
        if (!read_file(file, token))
            return false;
    } else {
        *token = util::env_text(util::Env::TOKEN);
        if (token->empty())
            return true;
    }
    token->resize(token->find_last_not_of(" \t\r\n") + 1);
    if (token->size() >= least_token && token->size() <= most_token)
        return true;
    log_error("remote", "the token%s%s has %zu bytes; it needs %zu to %zu", *file ? " of " : "",
              file, token->size(), least_token, most_token);
    token->clear();
    return false;
}

bool same_token(std::string_view ours, std::string_view theirs) {
    volatile unsigned char difference = ours.size() != theirs.size();
    for (size_t i = 0; i < theirs.size(); i++)
        difference = static_cast<unsigned char>(
            difference | (static_cast<unsigned char>(theirs[i]) ^
                          static_cast<unsigned char>(ours[i % ours.size()])));
    return difference == 0;
}

void forget_token_variable() {
    char *text = getenv("MGPIPE_TOKEN");
    if (!text)
        return;
    (void)util::env_text(util::Env::TOKEN); // has been read before it goes
    explicit_bzero(text, strlen(text));
    unsetenv("MGPIPE_TOKEN");
}

} // namespace remote
