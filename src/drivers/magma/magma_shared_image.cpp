// SPDX-License-Identifier: MIT
// The table of the display's images; see the header. Like that of surfaces it is the process's.
#include "magma_shared_image.h"

#include "magma_context.h"

namespace magma {

namespace {

struct shared_image {
    const share_group *maker;
    resource_ref texture;
};

std::mutex table_mutex;

handle_table<shared_image> &table() {
    static auto *t = new handle_table<shared_image>;
    return *t;
}

} // namespace

pipe_status image_create(pipe_context *ctx, const pipe_image_create *p) {
    context &c = ctx_of(ctx);
    resource_ref r = c.find(p->resource);
    if (!r || r->bad || r->owner || !r->store || !r->st()->is_image())
        return PIPE_DECLINED;
    auto image = std::make_shared<shared_image>(shared_image{&c.scr, std::move(r)});
    std::lock_guard lock(table_mutex);
    return table().put(p->image, std::move(image)) ? PIPE_OK : PIPE_DECLINED;
}

pipe_status image_import(pipe_context *ctx, const pipe_image_import *p) {
    context &c = ctx_of(ctx);
    resource_ref r;
    {
        std::lock_guard lock(table_mutex);
        if (const shared_image *image = table().peek(p->image))
            r = image->texture;
    }
    if (!r || r->dev != &c.dev)
        return PIPE_DECLINED;
    std::lock_guard lock(c.scr.mutex);
    return c.scr.resources.put(p->resource, std::move(r)) ? PIPE_OK : PIPE_DECLINED;
}

void image_destroy(pipe_context *, const pipe_image_destroy *p) {
    std::shared_ptr<shared_image> gone; // ends without the lock
    std::lock_guard lock(table_mutex);
    gone = table().take(p->image);
}

void end_images(const share_group &s) {
    std::lock_guard lock(table_mutex);
    table().for_each([&s](shared_image &image) {
        if (image.maker == &s)
            image.texture.reset();
    });
}

} // namespace magma
