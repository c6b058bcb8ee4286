// SPDX-License-Identifier: MIT
// Opens the Vulkan loader, picks a device and creates the instance. Features are in
// magma_features.cpp.
#include "magma_instance.h"

#include "magma_features.h"
#include "magma_memory.h"
#include "magma_trash.h"
#include "util/first_at_exit.h"
#include "util/log.h"
#include "util/thread_slot.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>
#include <vector>

namespace magma {

namespace {

VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                          VkDebugUtilsMessageTypeFlagsEXT,
                                          const VkDebugUtilsMessengerCallbackDataEXT *data,
                                          void *) {
    const char *id = data->pMessageIdName ? data->pMessageIdName : "?";
    if (severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT)
        log_error("magma-validate", "%s: %s", id, data->pMessage);
    else
        log_warning("magma-validate", "%s: %s", id, data->pMessage);
    return VK_FALSE;
}

PFN_vkGetInstanceProcAddr open_loader() {
    for (const char *name : {"libvulkan.so.1", "libvulkan.so"}) {
        if (void *lib = dlopen(name, RTLD_NOW | RTLD_LOCAL))
            if (void *sym = dlsym(lib, "vkGetInstanceProcAddr"))
                return reinterpret_cast<PFN_vkGetInstanceProcAddr>(sym);
    }
    log_error("magma", "no Vulkan loader: %s", dlerror());
    return nullptr;
}

bool has_layer(PFN_vkGetInstanceProcAddr get, const char *name) {
    auto enumerate = reinterpret_cast<PFN_vkEnumerateInstanceLayerProperties>(
        get(nullptr, "vkEnumerateInstanceLayerProperties"));
    uint32_t count = 0;
    if (!enumerate || enumerate(&count, nullptr) != VK_SUCCESS)
        return false;
    std::vector<VkLayerProperties> layers(count);
    enumerate(&count, layers.data());
    return std::any_of(layers.begin(), layers.end(),
                       [&](const VkLayerProperties &l) { return !strcmp(l.layerName, name); });
}

bool has_instance_extension(PFN_vkGetInstanceProcAddr get, const char *name) {
    auto enumerate = reinterpret_cast<PFN_vkEnumerateInstanceExtensionProperties>(
        get(nullptr, "vkEnumerateInstanceExtensionProperties"));
    uint32_t count = 0;
    if (!enumerate || enumerate(nullptr, &count, nullptr) != VK_SUCCESS)
        return false;
    std::vector<VkExtensionProperties> list(count);
    enumerate(nullptr, &count, list.data());
    return std::any_of(list.begin(), list.end(), [&](const VkExtensionProperties &e) {
        return !strcmp(e.extensionName, name);
    });
}

// Window systems that this build knows and the loader has.
void want_windows(PFN_vkGetInstanceProcAddr get, host_device &dev,
                  std::vector<const char *> &extensions) {
    auto want = [&](const char *name) {
        if (hidden(dev.options, name) || !has_instance_extension(get, name))
            return false;
        extensions.push_back(name);
        return true;
    };
    if (!want(VK_KHR_SURFACE_EXTENSION_NAME))
        return;
#ifdef MGPIPE_HAVE_X11
    dev.has.window_x11 = want("VK_KHR_xcb_surface");
#endif
#ifdef MGPIPE_HAVE_WAYLAND
    // A layer of Mesa's dials the compositor when this is on; its complaint where there can be none
    // would be ours.
    if (getenv("XDG_RUNTIME_DIR") || getenv("WAYLAND_DISPLAY"))
        dev.has.window_wayland = want("VK_KHR_wayland_surface");
#endif
}

// Creates the instance with what the options ask for; fills dev.instance and dev.api_version.
bool make_instance(PFN_vkGetInstanceProcAddr get, host_device &dev) {
    auto create = reinterpret_cast<PFN_vkCreateInstance>(get(nullptr, "vkCreateInstance"));
    auto version = reinterpret_cast<PFN_vkEnumerateInstanceVersion>(
        get(nullptr, "vkEnumerateInstanceVersion"));
    uint32_t api = VK_API_VERSION_1_0;
    if (version)
        version(&api);
    if (!create || api < VK_API_VERSION_1_1) {
        log_error("magma", "the Vulkan loader is older than 1.1");
        return false;
    }
    dev.api_version = std::min<uint32_t>(api, VK_API_VERSION_1_3);
    if (hidden(dev.options, "vk11-min") || hidden(dev.options, "vulkan12"))
        dev.api_version = VK_API_VERSION_1_1;
    else if (hidden(dev.options, "vulkan13"))
        dev.api_version = std::min<uint32_t>(dev.api_version, VK_API_VERSION_1_2);

    VkApplicationInfo app = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
    app.pEngineName = "mgpipe-magma";
    app.apiVersion = dev.api_version;
    VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &app;

    const char *layer = "VK_LAYER_KHRONOS_validation";
    const char *debug_utils = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    VkDebugUtilsMessengerCreateInfoEXT messenger = {
        VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
    messenger.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                                VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    messenger.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
    messenger.pfnUserCallback = on_message;
    const VkValidationFeatureEnableEXT sync[] = {
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
    VkValidationFeaturesEXT validation = {VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT, &messenger};
    validation.enabledValidationFeatureCount = 1;
    validation.pEnabledValidationFeatures = sync;

    bool want_layer = dev.options.validate;
    if (want_layer && !has_layer(get, layer)) {
        log_error("magma", "MGPIPE_DEBUG=validation, but %s is not installed", layer);
        want_layer = false;
    }
    dev.has.debug_utils = want_layer || has_instance_extension(get, debug_utils);
    if (want_layer) {
        info.enabledLayerCount = 1;
        info.ppEnabledLayerNames = &layer;
        info.pNext = &validation;
    }
    std::vector<const char *> extensions;
    if (dev.has.debug_utils)
        extensions.push_back(debug_utils);
    want_windows(get, dev, extensions);
    info.enabledExtensionCount = uint32_t(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    VkResult result = create(&info, nullptr, &dev.instance);
    if (result != VK_SUCCESS) {
        log_error("magma", "vkCreateInstance: %s", result_name(result));
        return false;
    }
    if (want_layer) {
        auto make = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
            get(dev.instance, "vkCreateDebugUtilsMessengerEXT"));
        if (make)
            make(dev.instance, &messenger, nullptr, &dev.messenger);
    }
    return true;
}

bool contains_nocase(const std::string &text, const std::string &part) {
    auto same = [](char a, char b) {
        return std::tolower((unsigned char)a) == std::tolower((unsigned char)b);
    };
    return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

bool pick_physical(host_device &dev) {
    uint32_t count = 0;
    VkResult result = dev.vk.EnumeratePhysicalDevices(dev.instance, &count, nullptr);
    std::vector<VkPhysicalDevice> devices(count);
    if (result == VK_SUCCESS && count)
        result = dev.vk.EnumeratePhysicalDevices(dev.instance, &count, devices.data());
    VkPhysicalDevice best = VK_NULL_HANDLE;
    int best_score = -1;
    for (uint32_t i = 0; i < count; ++i) {
        VkPhysicalDeviceProperties2 props = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
        dev.vk.GetPhysicalDeviceProperties2(devices[i], &props);
        if (props.properties.apiVersion < VK_API_VERSION_1_1)
            continue;
        if (!dev.options.host.empty() &&
            !contains_nocase(props.properties.deviceName, dev.options.host))
            continue;
        int score = 1;
        switch (props.properties.deviceType) {
        case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: score = 5; break;
        case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: score = 4; break;
        case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: score = 3; break;
        case VK_PHYSICAL_DEVICE_TYPE_CPU: score = 2; break;
        default: break;
        }
        if (score > best_score) {
            best_score = score;
            best = devices[i];
            dev.props = props.properties;
        }
    }
    if (!best) {
        log_error("magma", "no Vulkan 1.1 device%s%s",
                  dev.options.host.empty() ? "" : " named like ", dev.options.host.c_str());
        return false;
    }
    dev.physical = best;
    dev.api_version = std::min(dev.api_version, dev.props.apiVersion);
    dev.vk.GetPhysicalDeviceMemoryProperties(best, &dev.memory);
    return true;
}

bool pick_queue(host_device &dev) {
    uint32_t count = 0;
    dev.vk.GetPhysicalDeviceQueueFamilyProperties(dev.physical, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    dev.vk.GetPhysicalDeviceQueueFamilyProperties(dev.physical, &count, families.data());
    const VkQueueFlags need = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    for (uint32_t i = 0; i < count; ++i) {
        if ((families[i].queueFlags & need) != need)
            continue;
        dev.queue_family = i;
        dev.timestamp_bits = families[i].timestampValidBits;
        return true;
    }
    log_error("magma", "%s has no graphics queue", dev.props.deviceName);
    return false;
}

void load_instance_table(PFN_vkGetInstanceProcAddr get, host_device &dev) {
#define MAGMA_LOAD(name)                                                                           \
    dev.vk.name = reinterpret_cast<PFN_vk##name>(get(dev.instance, "vk" #name));
    MAGMA_VK_INSTANCE(MAGMA_LOAD)
    MAGMA_VK_WINDOW_INSTANCE(MAGMA_LOAD)
#undef MAGMA_LOAD
    if (dev.has.window_x11) {
        dev.create_xcb_surface = get(dev.instance, "vkCreateXcbSurfaceKHR");
        dev.xcb_presentation_support =
            get(dev.instance, "vkGetPhysicalDeviceXcbPresentationSupportKHR");
    }
    if (dev.has.window_wayland)
        dev.create_wayland_surface = get(dev.instance, "vkCreateWaylandSurfaceKHR");
}

bool load_device_table(host_device &dev) {
    bool complete = true;
    auto get = dev.vk.GetDeviceProcAddr;
#define MAGMA_LOAD(name)                                                                           \
    dev.vk.name = reinterpret_cast<PFN_vk##name>(get(dev.device, "vk" #name));                     \
    if (!dev.vk.name) {                                                                            \
        complete = false;                                                                          \
        log_error("magma", "vk" #name " is missing");                                              \
    }
    MAGMA_VK_DEVICE(MAGMA_LOAD)
#undef MAGMA_LOAD
#define MAGMA_LOAD(name, suffix)                                                                   \
    dev.vk.name = reinterpret_cast<PFN_vk##name>(get(dev.device, "vk" #name));                     \
    if (!dev.vk.name)                                                                              \
        dev.vk.name = reinterpret_cast<PFN_vk##name>(get(dev.device, "vk" #name #suffix));
    MAGMA_VK_OPTIONAL(MAGMA_LOAD)
#undef MAGMA_LOAD
#define MAGMA_LOAD(name) dev.vk.name = reinterpret_cast<PFN_vk##name>(get(dev.device, "vk" #name));
    MAGMA_VK_WINDOW_DEVICE(MAGMA_LOAD)
#undef MAGMA_LOAD
    return complete;
}

host_device *make_device(const host_options &options) {
    auto dev = std::make_unique<host_device>();
    dev->options = options;
    PFN_vkGetInstanceProcAddr get = open_loader();
    if (!get || !make_instance(get, *dev))
        return nullptr;
    load_instance_table(get, *dev);
    if (!pick_physical(*dev) || !pick_queue(*dev) || !create_device(*dev) ||
        !load_device_table(*dev))
        return nullptr;
    settle_features(*dev);
    dev->vk.GetDeviceQueue(dev->device, dev->queue_family, 0, &dev->queue);
    dev->mem = std::make_unique<memory_manager>(*dev);
    dev->trash = std::make_unique<trash_can>(*dev);
    if (dev->has.timeline_semaphore) {
        VkSemaphoreTypeCreateInfo type = {VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
        type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
        VkSemaphoreCreateInfo info = {VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type};
        if (VK_TRY(dev, CreateSemaphore(dev->device, &info, nullptr, &dev->timeline)) != VK_SUCCESS)
            dev->timeline = VK_NULL_HANDLE;
    }
    log_info("magma", "%s, Vulkan %u.%u.%u", dev->props.deviceName,
             VK_API_VERSION_MAJOR(dev->api_version), VK_API_VERSION_MINOR(dev->api_version),
             VK_API_VERSION_PATCH(dev->props.apiVersion));
    return dev.release();
}

} // namespace

bool host_device::fault_now(const char *what) {
    if (!options.fault_at) [[likely]]
        return false;
    uint32_t n = call_count.fetch_add(1) + 1;
    if (n != options.fault_at)
        return false;
    log_warning("magma", "injected fault at host call %u: %.60s", n, what);
    return true;
}

static util::ThreadSlot<host_failure> failures;

host_failure &pending_failure() {
    return failures.get();
}

std::string failure_text() {
    const host_failure &f = pending_failure();
    if (!f.call)
        return "refused";
    return "vk" + std::string(f.call, strcspn(f.call, "(")) + " failed: " + result_name(f.result);
}

static host_device *device = nullptr;

// An exit handler: the host's threads have nothing to do any more when the host's own handlers run,
// and what still calls us later (exit handlers of ours and the program's, other threads) finds a
// lost device.
static void leave_host() {
    if (device->process != getpid()) // a forked child does not have the host's threads
        return;
    std::lock_guard lock(device->queue_mutex);
    if (device->lost)
        return;
    device->vk.DeviceWaitIdle(device->device);
    device->left = true;
    device->lost = true; // not before: other threads free at once what a lost device may still use
}

host_device *acquire_device(const host_options &options) {
    static std::mutex mutex;
    std::lock_guard lock(mutex);
    attempt setup;
    if (!device && (device = make_device(options))) {
        device->process = getpid();
        util::first_at_exit(leave_host);
    }
    setup.got_by(); // what is missing has a fallback, or there is no device and the log says why
    return device;
}

void note_work_done() {
    // Handlers run in the reverse of their order, and a host registers some with its first work,
    // such as what its compiler needs.
    constexpr uint32_t most = 1024;
    static std::atomic<uint32_t> done{0};
    const uint32_t n = done.load(std::memory_order_relaxed) < most ? ++done : most + 1;
    if (std::has_single_bit(n))
        atexit(leave_host);
}

const char *result_name(VkResult result) {
    switch (result) {
    case VK_SUCCESS: return "success";
    case VK_NOT_READY: return "not ready";
    case VK_TIMEOUT: return "timeout";
    case VK_INCOMPLETE: return "incomplete";
    case VK_ERROR_OUT_OF_HOST_MEMORY: return "out of host memory";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY: return "out of device memory";
    case VK_ERROR_INITIALIZATION_FAILED: return "initialization failed";
    case VK_ERROR_DEVICE_LOST: return "device lost";
    case VK_ERROR_MEMORY_MAP_FAILED: return "memory map failed";
    case VK_ERROR_LAYER_NOT_PRESENT: return "layer not present";
    case VK_ERROR_EXTENSION_NOT_PRESENT: return "extension not present";
    case VK_ERROR_FEATURE_NOT_PRESENT: return "feature not present";
    case VK_ERROR_INCOMPATIBLE_DRIVER: return "incompatible driver";
    case VK_ERROR_TOO_MANY_OBJECTS: return "too many objects";
    case VK_ERROR_FORMAT_NOT_SUPPORTED: return "format not supported";
    case VK_ERROR_FRAGMENTED_POOL: return "fragmented pool";
    case VK_ERROR_OUT_OF_POOL_MEMORY: return "out of pool memory";
    case VK_SUBOPTIMAL_KHR: return "suboptimal";
    case VK_ERROR_OUT_OF_DATE_KHR: return "out of date";
    case VK_ERROR_SURFACE_LOST_KHR: return "surface lost";
    case VK_ERROR_NATIVE_WINDOW_IN_USE_KHR: return "native window in use";
    default: return "unknown error";
    }
}

} // namespace magma
