// SPDX-License-Identifier: MIT
// A pool of worker threads for shader compilation. Threads start with the first job and are few;
// jobs run in order of submission, several at once. A job must not wait for another job of the same
// pool.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace util {

// Completion of one job; shared by whoever waits for it.
class Job {
  public:
    // True once the job's function has returned (its effects are then visible).
    bool done() const;
    void wait();

  private:
    friend class JobQueue;
    mutable std::mutex mutex_;
    std::condition_variable condition_;
    bool done_ = false;
    std::function<void()> function_;
};

class JobQueue {
  public:
    // thread_count 0: by the number of usable cores (one less, 1 to 8).
    explicit JobQueue(const char *name, unsigned thread_count = 0);
    // Waits for running jobs and drops those that have not begun (their done() becomes true).
    ~JobQueue();

    std::shared_ptr<Job> submit(std::function<void()> function);
    // Runs the job now on the calling thread if no worker has begun it, else waits.
    void finish(const std::shared_ptr<Job> &job);
    // Returns when the queue is empty and idle.
    void drain();
    unsigned pending() const;

  private:
    void worker();
    static void run(Job &job);

    const char *name_;
    const unsigned thread_count_;
    mutable std::mutex mutex_;
    std::condition_variable wake_, idle_;
    std::deque<std::shared_ptr<Job>> jobs_;
    std::vector<std::thread> threads_;
    unsigned running_ = 0;
    bool stop_ = false;
};

} // namespace util
