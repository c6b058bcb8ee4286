// SPDX-License-Identifier: MIT
// The server's log on its way to the client: floods, repetitions, clients that do not read, that
// go.
#include <catch2/catch.hpp>

#include "server/log_forward.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using util::LogLevel;

// A client; `open` false: it does not read.
struct Client {
    bool receive(remote::Message &m) {
        for (int i = 0; i < 5000 && !open; i++)
            std::this_thread::sleep_for(1ms);
        pipe_ctl_log log;
        if (gone || m.type != PIPE_CTL_LOG || !m.get(&log))
            return false;
        std::lock_guard lock(mutex);
        lines.emplace_back(reinterpret_cast<const char *>(m.tail<pipe_ctl_log>()),
                           m.tail_size<pipe_ctl_log>());
        errors += log.level == PIPE_LOG_ERROR;
        return true;
    }
    // How many lines begin so.
    size_t count(const char *start) {
        std::lock_guard lock(mutex);
        return static_cast<size_t>(std::count_if(
            lines.begin(), lines.end(), [&](const auto &l) { return l.rfind(start, 0) == 0; }));
    }
    std::atomic<bool> open{true}, gone{false};
    std::mutex mutex;
    std::vector<std::string> lines;
    size_t errors = 0;
};

struct Forward {
    Forward() : log([this](remote::Message &m) { return client.receive(m); }) {
        REQUIRE(log.start());
    }
    Client client;
    remote::LogForward log;
};

} // namespace

TEST_CASE("log: lines arrive in order with their levels") {
    Forward f;
    f.log.add(LogLevel::warning, "magma", "one");
    f.log.add(LogLevel::error, "magma", "two");
    f.log.add(LogLevel::info, "remote", "three");
    f.log.flush(5'000'000'000);
    REQUIRE(f.client.lines.size() == 3);
    CHECK(f.client.lines[0] == "magma: one");
    CHECK(f.client.lines[1] == "magma: two");
    CHECK(f.client.lines[2] == "remote: three");
    CHECK(f.client.errors == 1);
}

TEST_CASE("log: in a flood of warnings the one error arrives, and what was left out is said") {
    Forward f;
    f.client.open = false; // nothing of the flood has gone before the error comes
    for (int i = 0; i < 50000; i++) {
        f.log.add(LogLevel::warning, "espryt", ("warning " + std::to_string(i)).c_str());
        if (i == 40000)
            f.log.add(LogLevel::error, "spirv", "link of program 7 failed");
    }
    f.client.open = true;
    f.log.flush(5'000'000'000);
    CHECK(f.client.count("spirv: link of program 7 failed") == 1);
    CHECK(f.client.count("espryt: warning") < 500);
    size_t left_out = 0, said = 0;
    for (const std::string &line : f.client.lines)
        if (line.find("were left out") != line.npos) {
            left_out += std::stoul(line);
            said++;
        }
    CHECK(left_out + f.client.count("espryt: warning") == 50000);
    CHECK(said < 10);
}

TEST_CASE("log: errors that repeat are counted, none is lost") {
    Forward f;
    for (int i = 0; i < 10000; i++)
        f.log.add(LogLevel::error, "magma", "the same");
    for (int i = 0; i < 3000; i++)
        f.log.add(LogLevel::error, "magma", ("different " + std::to_string(i)).c_str());
    f.log.flush(10'000'000'000);
    CHECK(f.client.count("magma: different ") == 3000);
    CHECK(f.client.count("magma: the same") <= 3);
    size_t times = 0;
    for (const std::string &line : f.client.lines)
        if (line.rfind("magma: the same", 0) == 0) {
            const size_t at = line.find(" (");
            times += at == line.npos ? 1 : std::stoul(line.substr(at + 2));
        }
    CHECK(times == 10000);
}

TEST_CASE("log: a repetition comes by itself a second later") {
    Forward f;
    f.log.add(LogLevel::error, "magma", "again");
    std::this_thread::sleep_for(50ms);
    f.log.add(LogLevel::error, "magma", "again");
    f.log.add(LogLevel::error, "magma", "again");
    std::this_thread::sleep_for(200ms);
    CHECK(f.client.count("magma: again") == 1);
    std::this_thread::sleep_for(1000ms);
    CHECK(f.client.count("magma: again") == 2);
    CHECK(f.client.count("magma: again (2 times)") == 1);
}

TEST_CASE("log: a client that does not read holds up nobody who logs") {
    Forward f;
    f.client.open = false;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 20000; i++)
        f.log.add(i % 2 ? LogLevel::error : LogLevel::warning, "a", std::to_string(i).c_str());
    f.log.flush(100'000'000);
    CHECK(std::chrono::steady_clock::now() - start < 2s);
    f.client.open = true;
}

TEST_CASE("log: after the client is gone nothing is kept") {
    Forward f;
    f.client.gone = true;
    f.log.add(LogLevel::error, "a", "b");
    f.log.flush(5'000'000'000);
    for (int i = 0; i < 1000; i++)
        f.log.add(LogLevel::error, "a", std::to_string(i).c_str());
    const auto start = std::chrono::steady_clock::now();
    f.log.flush(5'000'000'000);
    CHECK(std::chrono::steady_clock::now() - start < 1s);
}
