// SPDX-License-Identifier: MIT
// Memory of the Magma driver on a host of two memory types, one of which runs out: what does not
// fit there lies in the other, and only what fits nowhere is refused.
#include <catch2/catch.hpp>

#include "magma/magma_instance.h"
#include "magma/magma_memory.h"
#include "magma/magma_trash.h"

namespace {

constexpr VkDeviceSize mib = 1 << 20;
VkDeviceSize left[2];
uint32_t last_type;
uintptr_t handles;

VKAPI_ATTR VkResult VKAPI_CALL allocate_memory(VkDevice, const VkMemoryAllocateInfo *info,
                                               const VkAllocationCallbacks *, VkDeviceMemory *out) {
    if (info->allocationSize > left[info->memoryTypeIndex])
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    left[info->memoryTypeIndex] -= info->allocationSize;
    last_type = info->memoryTypeIndex;
    *out = (VkDeviceMemory)++handles;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL free_memory(VkDevice, VkDeviceMemory, const VkAllocationCallbacks *) {}

// Type 0 is the better one for what only the device reads.
struct host {
    magma::host_device dev;
    host(VkDeviceSize local, VkDeviceSize other) {
        left[0] = local, left[1] = other;
        magma::pending_failure() = {};
        dev.vk.AllocateMemory = allocate_memory;
        dev.vk.FreeMemory = free_memory;
        dev.memory.memoryTypeCount = 2;
        dev.memory.memoryTypes[0].propertyFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    }
};

VkResult allocate(magma::memory_manager &m, VkDeviceSize size, uint32_t types,
                  magma::allocation &out) {
    const VkMemoryRequirements need = {size, 256, types};
    return m.allocate(need, magma::memory_use::device, false, out);
}

} // namespace

TEST_CASE("memory of another type stands in") {
    host h(20 * mib, 40 * mib);
    magma::memory_manager m(h.dev);
    magma::allocation a, b, c;
    REQUIRE(allocate(m, 16 * mib, 3, a) == VK_SUCCESS);
    CHECK(last_type == 0);
    REQUIRE(allocate(m, 16 * mib, 3, b) == VK_SUCCESS);
    CHECK(last_type == 1);
    CHECK(b.memory != a.memory);
    CHECK(!magma::pending_failure().call); // nobody is told
    CHECK(allocate(m, 32 * mib, 3, c) == VK_ERROR_OUT_OF_DEVICE_MEMORY);
    CHECK(!c.block);
    CHECK(magma::pending_failure().call);
    m.free(a);
    m.free(b);
}

TEST_CASE("memory of a type that does not do is left alone") {
    host h(8 * mib, 40 * mib);
    magma::memory_manager m(h.dev);
    magma::allocation a;
    CHECK(allocate(m, 16 * mib, 1, a) == VK_ERROR_OUT_OF_DEVICE_MEMORY);
    CHECK(left[1] == 40 * mib);
}
