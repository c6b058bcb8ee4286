// SPDX-License-Identifier: MIT
// The table of the display's images; see the header. Like that of surfaces it is the process's.
#include "espryt_shared_image.h"

#include "espryt_resource.h"

namespace espryt {

namespace {

struct shared_image {
    screen *maker;
    resource *texture; // one reference; null: its screen has ended
};

drivers_common::slot_table<shared_image> &table() {
    static auto *t = new drivers_common::slot_table<shared_image>; // leaked: outlives every screen
    return *t;
}

std::mutex table_lock;

void end_image(context *ctx, screen *s, shared_image *image) {
    if (image && image->texture)
        resource_unref(ctx, s, image->texture);
    delete image;
}

pipe_status image_create(pipe_context *pc, const pipe_image_create *p) {
    context *ctx = to_context(pc);
    resource *r = find_resource(ctx, p->resource);
    if (!r || r->is_buffer() || r->owner || !r->name.name || r->target == GL_RENDERBUFFER ||
        r->target == GL_TEXTURE_BUFFER)
        return PIPE_DECLINED;
    ctx->gl->Flush(); // other contexts shall find its storage
    auto image = new shared_image{ctx->scr, r};
    shared_image *old;
    bool made;
    {
        std::lock_guard<std::mutex> guard(table_lock);
        old = table().take_slot(p->image);
        made = table().insert(p->image, image);
    }
    if (made)
        resource_ref(r);
    else
        delete image;
    end_image(ctx, ctx->scr, old);
    verb_done(ctx, "image_create");
    return made ? PIPE_OK : PIPE_DECLINED;
}

// One reference, or null.
resource *find_image(context *ctx, pipe_handle h) {
    std::lock_guard<std::mutex> guard(table_lock);
    const shared_image *image = table().find(h);
    if (!image || !image->texture || image->maker->host != ctx->host)
        return nullptr;
    resource_ref(image->texture);
    return image->texture;
}

pipe_status image_import(pipe_context *pc, const pipe_image_import *p) {
    context *ctx = to_context(pc);
    resource *r = find_image(ctx, p->image);
    if (!r)
        return PIPE_DECLINED;
    resource *old;
    bool made;
    {
        std::lock_guard<std::mutex> guard(ctx->scr->lock);
        old = ctx->scr->resources.take_slot(p->resource);
        made = ctx->scr->resources.insert(p->resource, r);
    }
    if (old)
        resource_unref(ctx, ctx->scr, old);
    if (!made)
        resource_unref(ctx, ctx->scr, r);
    verb_done(ctx, "image_import");
    return made ? PIPE_OK : PIPE_DECLINED;
}

void image_destroy(pipe_context *pc, const pipe_image_destroy *p) {
    context *ctx = to_context(pc);
    shared_image *image;
    {
        std::lock_guard<std::mutex> guard(table_lock);
        image = table().take(p->image);
    }
    end_image(ctx, ctx->scr, image);
    verb_done(ctx, "image_destroy");
}

} // namespace

void end_images(screen *s) {
    std::lock_guard<std::mutex> guard(table_lock);
    table().each([s](shared_image *image) {
        if (image->maker != s || !image->texture)
            return;
        resource_unref(nullptr, s, image->texture);
        image->texture = nullptr;
    });
}

void init_image_functions(screen *s) {
    s->image_create = image_create;
    s->image_import = image_import;
    s->image_destroy = image_destroy;
}

} // namespace espryt
