// SPDX-License-Identifier: MIT
// The Vulkan host: loader, instance, one device per process. The device is shared by all screens
// and is reference counted; it lives on after the last screen (drivers that are unloaded at exit
// crash). Everything here may be called by any thread; `queue_mutex` serialises submissions.
#pragma once

#include "magma_emulation.h"
#include "magma_vk.h"

#include "pipe/pipe_structs.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace magma {

struct memory_manager;
struct trash_can;

// What the user asked for; read once, when the device is made.
struct host_options {
    std::string
        host; // part of the device name, case ignored; empty: first real GPU, else a CPU device
    std::string hide;      // comma separated extension and feature names to pretend away
    bool validate = false; // load the validation layer with synchronization validation
    bool validate_corrupt =
        false;             // record one deliberate error, which proves that the layer listens
    uint32_t force = 0;    // emulations to use although the host does not need them, a bit each
    uint32_t fault_at = 0; // the n-th checked host call fails with "out of device memory"; 0: none
};

// Optional abilities. Each is used by presence; each has a fallback or is absent in the caps.
struct host_features {
    // extensions and promoted features
    bool push_descriptor, dynamic_rendering, timeline_semaphore, eds1, eds2, eds3_blend;
    bool vertex_input_dynamic, depth_clip_control, custom_border_color;
    bool border_swizzle, border_swizzle_from_view; // borders behind a swizzle; which one by itself
    bool transform_feedback, geometry_streams, index_uint8, list_restart, patch_list_restart,
        multi_draw;
    bool provoking_vertex, conditional_rendering, attribute_divisor, draw_indirect_count;
    bool mirror_clamp, draw_parameters, viewport_layer, debug_utils;
    bool primitives_generated_query, non_seamless_cube, image_2d_view_of_3d, bresenham_lines;
    bool triangle_fans;
    bool feedback_loops;         // what is attached may be sampled
    bool host_maps;              // programs may have the address of a store
    bool host_pointers;          // stores in pages of somebody else
    bool dma_buf, foreign_queue; // images in dma-bufs; a queue family for what is no Vulkan
    bool window_x11, window_wayland, swapchain, incremental_present;
    VkPhysicalDeviceFeatures core; // enabled core features
};

// Whether a way of sharing stores was tried.
enum class map_trial : uint8_t { open, passed, failed };

struct host_device {
    vk_table vk;
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    VkQueue queue = VK_NULL_HANDLE;
    uint32_t queue_family = 0;
    uint32_t timestamp_bits = 0;
    uint32_t api_version = 0; // usable: min(instance, device, what the mask leaves)
    VkPhysicalDeviceProperties props = {};
    VkPhysicalDeviceMemoryProperties memory = {};
    host_features has = {};
    uint32_t max_push_descriptors = 0;
    uint32_t max_vertex_divisor = 0;
    VkPhysicalDeviceTransformFeedbackPropertiesEXT xfb = {};
    host_options options;
    std::mutex queue_mutex;
    VkPipelineCache pipeline_cache = VK_NULL_HANDLE;
    VkSemaphore timeline = VK_NULL_HANDLE; // null: fences
    std::atomic<uint64_t> last_submitted{0};
    std::atomic<uint32_t> call_count{0};
    std::atomic<bool> lost{false};
    std::atomic<bool> left{false};          // lost only because the process ends
    pid_t process = 0;                      // that made it
    std::atomic<uint32_t> pinned_stores{0}; // whose memory programs use at any time
    map_trial own_trial = map_trial::open, import_trial = map_trial::open; // magma_map.cpp's
    VkDeviceSize import_alignment = 0;                                     // of imported pages
    std::unique_ptr<memory_manager> mem;
    std::unique_ptr<trash_can> trash;
    std::mutex dmabuf_mutex; // magma_dmabuf.cpp's, with:
    bool dmabuf_asked = false;
    std::vector<pipe_dmabuf_format> dmabuf_formats;
    VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
    // vkCreate*SurfaceKHR of the window systems; null without the extension.
    PFN_vkVoidFunction create_xcb_surface = nullptr, create_wayland_surface = nullptr;
    PFN_vkVoidFunction xcb_presentation_support = nullptr;

    bool forced(emulation e) const { return options.force >> static_cast<unsigned>(e) & 1; }
    // Counts a checked host call; true when fault injection wants this one to fail.
    bool fault_now(const char *what);
};

// The process-wide device, made at the first call; null (one log line says why) when there is no
// usable host. Later calls return the same device whatever the options say.
host_device *acquire_device(const host_options &options);
// Some of its work is done. Any thread.
void note_work_done();

// A name for a VkResult, for log lines.
const char *result_name(VkResult result);

// Failed host calls of this thread that nobody has told the program about. The verb that made the
// call gives up silently; context::report(), at the head of the next verb or the end of one that
// answers, raises one GL error and logs one line. Who does without the call forgets it.
struct host_failure {
    const char *call = nullptr; // as VK_TRY has it; null: none
    VkResult result = VK_SUCCESS;
};
host_failure &pending_failure();
// "Call failed: result" for the pending one.
std::string failure_text();

// Remembers a failure unless one is pending; a lost device has words of its own.
inline VkResult noted(VkResult result, const char *call) {
    if (result < 0 && result != VK_ERROR_DEVICE_LOST && !pending_failure().call) [[unlikely]]
        pending_failure() = {call, result};
    return result;
}

// Failures within the scope are forgotten when the caller got by.
class attempt {
  public:
    void got_by() const { pending_failure() = before_; }

  private:
    host_failure before_ = pending_failure();
};

} // namespace magma

// THE choke point of host calls that can fail: evaluates to a VkResult and, under
// MGPIPE_FAIL_HOST_CALL=n, to a failure instead of the n-th call.
#define VK_TRY(dev, call) magma::noted(VK_ASK(dev, call), #call)

// The same for calls whose failure is an answer that the caller lives with.
#define VK_ASK(dev, call) ((dev)->fault_now(#call) ? VK_ERROR_OUT_OF_DEVICE_MEMORY : (dev)->vk.call)
