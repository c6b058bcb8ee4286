// SPDX-License-Identifier: MIT
// Runs the fuzzer's inputs without the fuzzer: wire_corpus FOLDER. wire_corpus --seeds FOLDER
// writes first inputs made from valid records and messages there.
#include "hostile.h"

#include "channel.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace {

void write_seed(const std::filesystem::path &folder, const std::string &name,
                const std::string &bytes) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
}

std::string text(const void *p, size_t size) {
    return {static_cast<const char *>(p), size};
}

// A message in the form of `messages` (1) or of a connection (2).
std::string one(char kind, uint32_t type, const std::string &body, char beside = 0) {
    const remote::MessageHead head{type, static_cast<uint32_t>(body.size())};
    if (kind == 2)
        return text(&head, sizeof head) + body;
    return std::string{static_cast<char>(type), beside, static_cast<char>(body.size() & 255),
                       static_cast<char>(body.size() >> 8)} +
           body;
}

void write_seeds(const std::filesystem::path &folder) {
    unsigned n = 0;
    for (bool staged : {false, true})
        for (const auto &record : hostile::corpus(77, staged))
            if (record.size() < 256)
                write_seed(folder, "record-" + std::to_string(n++),
                           std::string(1, 0) + text(record.data(), record.size() * 8));
    for (char kind : {1, 2})
        for (uint32_t type = 1; type < PIPE_CTL_COUNT; type++)
            for (char prefix : {0, 7, 15}) {
                const std::string start{kind, prefix};
                write_seed(folder,
                           "message-" + std::to_string(kind) + "-" + std::to_string(type) + "-" +
                               std::to_string(prefix),
                           start + one(kind, type, std::string(48, '\1'), 3) +
                               one(kind, PIPE_CTL_BYE, std::string(8, '\0')));
            }
    pipe_ctl_hello hello{};
    hello.magic = remote::control_magic;
    for (char flags : {0, 1, 2, 3, 7, 11})
        write_seed(folder, "stranger-" + std::to_string(flags),
                   std::string{3, flags} + one(2, PIPE_CTL_HELLO, text(&hello, sizeof hello)));
}

} // namespace

int main(int argc, char **argv) {
    if (argc == 3 && !strcmp(argv[1], "--seeds")) {
        write_seeds(argv[2]);
        return 0;
    }
    unsigned inputs = 0;
    if (argc == 2)
        for (const auto &entry : std::filesystem::directory_iterator(argv[1])) {
            std::ifstream file(entry.path(), std::ios::binary);
            const std::string bytes{std::istreambuf_iterator<char>(file), {}};
            LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
            inputs++;
        }
    printf("%u inputs\n", inputs);
    return inputs < 20; // a folder without inputs tests nothing
}
