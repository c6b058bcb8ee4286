// SPDX-License-Identifier: MIT
// First-fit suballocation of device memory.
#include "magma_memory.h"

#include "magma_instance.h"
#include "util/futex.h"
#include "util/log.h"

#include <algorithm>
#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

namespace magma {

namespace {

constexpr VkDeviceSize block_size = 32ull << 20;
constexpr VkDeviceSize small_block = 4ull << 20;

VkDeviceSize align_up(VkDeviceSize v, VkDeviceSize a) {
    return (v + a - 1) & ~(a - 1);
}

} // namespace

memory_manager::memory_manager(host_device &device) : dev_(device) {}

memory_manager::~memory_manager() {
    for (auto &b : blocks_)
        if (b)
            dev_.vk.FreeMemory(dev_.device, b->memory, nullptr);
}

int memory_manager::find_type(uint32_t bits, memory_use use) const {
    const VkMemoryPropertyFlags host =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkMemoryPropertyFlags need = use == memory_use::device ? 0 : host;
    int best = -1, best_score = -1;
    for (uint32_t i = 0; i < dev_.memory.memoryTypeCount; ++i) {
        VkMemoryPropertyFlags flags = dev_.memory.memoryTypes[i].propertyFlags;
        if (!(bits & 1u << i) || (flags & need) != need ||
            (flags & VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT))
            continue;
        int score = 0;
        bool local = flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
        bool cached = flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
        if (use == memory_use::device)
            score = local ? 4 : 0;
        else if (use == memory_use::upload)
            score = (local ? 0 : 2) + (cached ? 0 : 1);
        else
            score = cached ? 4 : 0;
        if (score > best_score) {
            best_score = score;
            best = int(i);
        }
    }
    return best;
}

VkResult memory_manager::new_block(uint32_t type, bool image, VkDeviceSize size, bool dedicated,
                                   uint32_t &index) {
    VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    info.allocationSize = size;
    info.memoryTypeIndex = type;
    auto b = std::make_unique<block>();
    VkResult result = VK_TRY(&dev_, AllocateMemory(dev_.device, &info, nullptr, &b->memory));
    if (result != VK_SUCCESS)
        return result;
    if (dev_.memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) {
        void *map = nullptr;
        result = VK_TRY(&dev_, MapMemory(dev_.device, b->memory, 0, VK_WHOLE_SIZE, 0, &map));
        if (result != VK_SUCCESS) {
            dev_.vk.FreeMemory(dev_.device, b->memory, nullptr);
            return result;
        }
        b->map = static_cast<uint8_t *>(map);
    }
    b->size = size;
    b->type = type;
    b->image = image;
    b->dedicated = dedicated;
    b->free.push_back({0, size});
    allocated_ += size;
    index = put(std::move(b));
    return VK_SUCCESS;
}

uint32_t memory_manager::put(std::unique_ptr<block> b) {
    auto hole = std::find(blocks_.begin(), blocks_.end(), nullptr);
    const auto index = uint32_t(hole - blocks_.begin());
    if (hole == blocks_.end())
        blocks_.push_back(std::move(b));
    else
        *hole = std::move(b);
    return index;
}

VkResult memory_manager::import(const VkMemoryRequirements &req, void *pages, VkDeviceSize size,
                                allocation &out) {
    const VkDeviceSize align = dev_.import_alignment;
    if (!dev_.has.host_pointers || !align || req.size > size || size % align ||
        reinterpret_cast<uintptr_t>(pages) % align)
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    void *own = mremap(pages, 0, size, MREMAP_MAYMOVE); // the same pages a second time
    if (own == MAP_FAILED)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    constexpr auto kind = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    VkMemoryHostPointerPropertiesEXT fits = {VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT};
    VkResult result = VK_ASK(&dev_, GetMemoryHostPointerProperties(dev_.device, kind, own, &fits));
    const int type = find_type(req.memoryTypeBits & fits.memoryTypeBits, memory_use::readback);
    if (result == VK_SUCCESS && type < 0)
        result = VK_ERROR_INVALID_EXTERNAL_HANDLE;
    auto b = std::make_unique<block>();
    if (result == VK_SUCCESS) {
        VkImportMemoryHostPointerInfoEXT from = {
            VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, nullptr, kind, own};
        VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &from};
        info.allocationSize = size;
        info.memoryTypeIndex = uint32_t(type);
        result = VK_ASK(&dev_, AllocateMemory(dev_.device, &info, nullptr, &b->memory));
    }
    if (result != VK_SUCCESS) {
        munmap(own, size);
        return result;
    }
    b->map = static_cast<uint8_t *>(own);
    b->size = size;
    b->type = uint32_t(type);
    b->dedicated = b->imported = true;
    std::lock_guard lock(mutex_);
    allocated_ += size;
    out = {b->memory, 0, size, b->map, 0};
    out.block = put(std::move(b)) + 1;
    return VK_SUCCESS;
}

VkResult memory_manager::import_dmabuf(const VkMemoryRequirements &req, int fd, VkImage image,
                                       allocation &out) {
    constexpr auto kind = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
    VkMemoryFdPropertiesKHR fits = {VK_STRUCTURE_TYPE_MEMORY_FD_PROPERTIES_KHR};
    VkResult result = VK_ASK(&dev_, GetMemoryFdProperties(dev_.device, kind, fd, &fits));
    if (result != VK_SUCCESS)
        return result;
    const int type = find_type(req.memoryTypeBits & fits.memoryTypeBits, memory_use::device);
    if (type < 0)
        return VK_ERROR_INVALID_EXTERNAL_HANDLE;
    const int own = fcntl(fd, F_DUPFD_CLOEXEC, 3); // the host's, once it has accepted it
    if (own < 0)
        return VK_ERROR_TOO_MANY_OBJECTS;
    VkImportMemoryFdInfoKHR from = {VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR, nullptr, kind, own};
    result = allocate_alone(req, uint32_t(type), image, &from, out);
    if (result != VK_SUCCESS)
        close(own);
    return result;
}

VkResult memory_manager::allocate_dmabuf(const VkMemoryRequirements &req, VkImage image,
                                         allocation &out) {
    const int type = find_type(req.memoryTypeBits, memory_use::device);
    if (type < 0)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    VkExportMemoryAllocateInfo to = {VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO};
    to.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;
    return allocate_alone(req, uint32_t(type), image, &to, out);
}

VkResult memory_manager::allocate_alone(const VkMemoryRequirements &req, uint32_t type,
                                        VkImage image, const void *chain, allocation &out) {
    VkMemoryDedicatedAllocateInfo alone = {VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, chain};
    alone.image = image;
    VkMemoryAllocateInfo info = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &alone};
    info.allocationSize = req.size;
    info.memoryTypeIndex = type;
    auto b = std::make_unique<block>();
    const VkResult result = VK_ASK(&dev_, AllocateMemory(dev_.device, &info, nullptr, &b->memory));
    if (result != VK_SUCCESS)
        return result;
    b->size = req.size;
    b->type = type;
    b->image = b->dedicated = true;
    std::lock_guard lock(mutex_);
    allocated_ += req.size;
    out = {b->memory, 0, req.size, nullptr, 0};
    out.block = put(std::move(b)) + 1;
    return VK_SUCCESS;
}

VkMemoryPropertyFlags memory_manager::properties(const allocation &a) {
    if (!a.block)
        return 0;
    std::lock_guard lock(mutex_);
    return dev_.memory.memoryTypes[blocks_[a.block - 1]->type].propertyFlags;
}

bool memory_manager::carve(block &b, VkDeviceSize size, VkDeviceSize alignment,
                           VkDeviceSize &offset) {
    for (size_t i = 0; i < b.free.size(); ++i) {
        span s = b.free[i];
        VkDeviceSize start = align_up(s.offset, alignment);
        VkDeviceSize end = start + size;
        if (end > s.offset + s.size)
            continue;
        offset = start;
        span before = {s.offset, start - s.offset}, after = {end, s.offset + s.size - end};
        b.free.erase(b.free.begin() + long(i));
        if (after.size)
            b.free.insert(b.free.begin() + long(i), after);
        if (before.size)
            b.free.insert(b.free.begin() + long(i), before);
        return true;
    }
    return false;
}

VkResult memory_manager::allocate(const VkMemoryRequirements &req, memory_use use, bool image,
                                  allocation &out) {
    std::lock_guard lock(mutex_);
    uint32_t bits = req.memoryTypeBits;
    attempt others;
    for (VkResult first = VK_SUCCESS;;) {
        const int type = find_type(bits, use);
        if (type < 0)
            return first != VK_SUCCESS ? first : VK_ERROR_OUT_OF_DEVICE_MEMORY;
        const VkResult result = allocate_of(uint32_t(type), req, image, out);
        if (result == VK_SUCCESS && first != VK_SUCCESS) {
            others.got_by();
            log_warning_once("magma", "memory of the best type is out: type %d stands in", type);
        }
        if (result != VK_ERROR_OUT_OF_DEVICE_MEMORY)
            return result;
        first = result;
        bits &= ~(1u << type);
    }
}

VkResult memory_manager::allocate_of(uint32_t type, const VkMemoryRequirements &req, bool image,
                                     allocation &out) {
    VkDeviceSize alignment = std::max<VkDeviceSize>(req.alignment, 16);
    uint32_t index = 0;
    VkDeviceSize offset = 0;
    bool dedicated = req.size > block_size / 8; // large contents come in pieces of about a quarter
    bool found = false;
    if (!dedicated) {
        for (; index < blocks_.size() && !found; ++index) {
            block *b = blocks_[index].get();
            if (b && !b->dedicated && b->type == type && b->image == image &&
                carve(*b, req.size, alignment, offset)) {
                found = true;
                break;
            }
        }
    }
    if (!found) {
        VkDeviceSize size = dedicated                 ? req.size
                            : allocated_ < block_size ? small_block * 2
                                                      : block_size;
        VkResult result = new_block(type, image, std::max(size, req.size), dedicated, index);
        if (result != VK_SUCCESS)
            return result;
        carve(*blocks_[index], req.size, 1, offset);
    }
    block &b = *blocks_[index];
    out.memory = b.memory;
    out.offset = offset;
    out.size = req.size;
    out.map = b.map ? b.map + offset : nullptr;
    out.block = index + 1;
    return VK_SUCCESS;
}

// One of a kind is kept for what comes next; a peak must not stay for good.
bool memory_manager::has_another_empty(const block &b) const {
    return std::any_of(blocks_.begin(), blocks_.end(), [&b](const std::unique_ptr<block> &other) {
        return other && other.get() != &b && !other->dedicated && other->type == b.type &&
               other->image == b.image && other->is_empty();
    });
}

void memory_manager::free(const allocation &a) {
    if (!a.block)
        return;
    std::lock_guard lock(mutex_);
    std::unique_ptr<block> &slot = blocks_[a.block - 1];
    block &b = *slot;
    auto next = std::find_if(b.free.begin(), b.free.end(),
                             [&](const span &s) { return s.offset > a.offset; });
    auto at = b.free.insert(next, {a.offset, a.size});
    if (at + 1 != b.free.end() && at->offset + at->size == (at + 1)->offset) {
        at->size += (at + 1)->size;
        b.free.erase(at + 1);
    }
    if (at != b.free.begin() && (at - 1)->offset + (at - 1)->size == at->offset) {
        (at - 1)->size += at->size;
        b.free.erase(at);
    }
    if (b.is_empty() && (b.dedicated || has_another_empty(b))) {
        dev_.vk.FreeMemory(dev_.device, b.memory, nullptr);
        if (b.imported)
            munmap(b.map, b.size);
        allocated_ -= b.size;
        if (!b.imported && dev_.props.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU)
            untrimmed_.fetch_add(b.size, std::memory_order_relaxed);
        slot.reset();
    }
}

void memory_manager::trim_heap() {
    const uint64_t now = util::now_ns();
    uint64_t last = trimmed_at_ns_.load();
    if (now - last < 1'000'000'000 || !trimmed_at_ns_.compare_exchange_strong(last, now))
        return;
    untrimmed_.store(0, std::memory_order_relaxed);
#ifdef __GLIBC__ // others give back by themselves
    malloc_trim(0);
#endif
}

uint64_t memory_manager::total_device_memory() const {
    uint64_t total = 0;
    for (uint32_t i = 0; i < dev_.memory.memoryHeapCount; ++i)
        if (dev_.memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
            total += dev_.memory.memoryHeaps[i].size;
    return total;
}

} // namespace magma
