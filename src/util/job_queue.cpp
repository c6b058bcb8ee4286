// SPDX-License-Identifier: MIT
// Worker pool; see util/job_queue.h.
#include "util/job_queue.h"

#include <algorithm>

#include "util/futex.h"
#include "util/thread.h"

namespace util {

bool Job::done() const {
    std::lock_guard lock(mutex_);
    return done_;
}

void Job::wait() {
    std::unique_lock lock(mutex_);
    condition_.wait(lock, [this] { return done_; });
}

JobQueue::JobQueue(const char *name, unsigned thread_count)
    : name_(name),
      thread_count_(thread_count ? thread_count : std::clamp(usable_cores() - 1, 1u, 8u)) {}

JobQueue::~JobQueue() {
    std::deque<std::shared_ptr<Job>> dropped;
    {
        std::lock_guard lock(mutex_);
        stop_ = true;
        dropped.swap(jobs_);
    }
    wake_.notify_all();
    for (std::thread &thread : threads_)
        thread.join();
    for (auto &job : dropped) {
        job->function_ = nullptr;
        run(*job);
    }
}

std::shared_ptr<Job> JobQueue::submit(std::function<void()> function) {
    auto job = std::make_shared<Job>();
    job->function_ = std::move(function);
    bool alone;
    {
        std::lock_guard lock(mutex_);
        jobs_.push_back(job);
        std::thread worker_thread;
        if (threads_.size() < thread_count_ && jobs_.size() > threads_.size() - running_ &&
            start_thread(&worker_thread, name_, [this] { worker(); }))
            threads_.push_back(std::move(worker_thread));
        alone = threads_.empty();
    }
    if (alone) // the system has no thread for us: the caller is the worker
        finish(job);
    else
        wake_.notify_one();
    return job;
}

void JobQueue::finish(const std::shared_ptr<Job> &job) {
    bool mine = false;
    {
        std::lock_guard lock(mutex_);
        const auto it = std::find(jobs_.begin(), jobs_.end(), job);
        if (it != jobs_.end()) {
            jobs_.erase(it);
            ++running_;
            mine = true;
        }
    }
    if (!mine) {
        job->wait();
        return;
    }
    run(*job);
    std::lock_guard lock(mutex_);
    --running_;
    if (jobs_.empty() && running_ == 0)
        idle_.notify_all();
}

void JobQueue::drain() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return jobs_.empty() && running_ == 0; });
}

unsigned JobQueue::pending() const {
    std::lock_guard lock(mutex_);
    return static_cast<unsigned>(jobs_.size()) + running_;
}

void JobQueue::run(Job &job) {
    if (job.function_)
        job.function_();
    // Captures go before anybody learns that the job is done.
    job.function_ = nullptr;
    std::lock_guard lock(job.mutex_);
    job.done_ = true;
    job.condition_.notify_all();
}

void JobQueue::worker() {
    std::unique_lock lock(mutex_);
    for (;;) {
        wake_.wait(lock, [this] { return stop_ || !jobs_.empty(); });
        if (stop_)
            return;
        std::shared_ptr<Job> job = std::move(jobs_.front());
        jobs_.pop_front();
        ++running_;
        lock.unlock();
        run(*job);
        job.reset();
        lock.lock();
        --running_;
        if (jobs_.empty() && running_ == 0)
            idle_.notify_all();
    }
}

} // namespace util
