// SPDX-License-Identifier: MIT
// The compile pool and the warming of glslang's built-ins.
#include "compiler/frontend.h"
#include "util/env.h"
#include "util/futex.h"
#include "util/job_queue.h"

#include <atomic>

namespace compiler {
namespace {

// MGPIPE_COMPILE_THREADS; 0: by the number of cores.
unsigned wanted_threads() {
    return static_cast<unsigned>(util::env_int(util::Env::COMPILE_THREADS));
}

// One core gains nothing from a second thread, unless somebody asked for it.
bool has_pool() {
    static const bool has = util::usable_cores() > 1 || wanted_threads() > 0;
    return has;
}

std::atomic<unsigned> wish{~0u};

util::JobQueue &queue() {
    static util::JobQueue *const instance =
        new util::JobQueue("mgp-compile", wanted_threads()); // leaked: programs call us from atexit
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
    if (max_threads() && has_pool())
        job->inner = queue().submit(std::move(work));
    else
        work();
    return job;
}

void set_max_threads(unsigned count) {
    wish.store(count, std::memory_order_relaxed);
}

unsigned max_threads() {
    return wish.load(std::memory_order_relaxed);
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
