// SPDX-License-Identifier: MIT
// The compile pool and the warming of glslang's built-ins.
#include "compiler/frontend.h"
#include "util/job_queue.h"

#include <atomic>
#include <thread>

namespace compiler {
namespace {

std::atomic<bool> parallel{std::thread::hardware_concurrency() > 1};

util::JobQueue &queue() {
    static util::JobQueue *const instance =
        new util::JobQueue("mgp-compile"); // leaked: programs call us from atexit
    return *instance;
}

} // namespace

bool Job::done() const {
    return !inner || inner->done();
}

void Job::wait() {
    if (inner && !inner->done())
        queue().finish(inner);
}

std::shared_ptr<Job> submit(std::function<void()> work) {
    auto job = std::make_shared<Job>();
    if (parallel.load(std::memory_order_relaxed))
        job->inner = queue().submit(std::move(work));
    else
        work();
    return job;
}

void set_parallel(bool on) {
    parallel.store(on, std::memory_order_relaxed);
}

void prewarm(const Limits &limits) {
    [[maybe_unused]] static const bool once = [&limits] {
        submit([limits] {
            for (int version : {330, 450}) {
                if (version > limits.glsl_version)
                    continue;
                const std::string text =
                    "#version " + std::to_string(version) + "\nvoid main() {}\n";
                for (pipe_shader_type stage : {PIPE_SHADER_VERTEX, PIPE_SHADER_FRAGMENT})
                    parse_shader(stage, text, limits);
            }
        });
        return true;
    }();
}

void drain() {
    queue().drain();
}

} // namespace compiler
