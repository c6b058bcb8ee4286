// SPDX-License-Identifier: MIT
// Front-end cache: text, limits and sources of the translator -> result of parsing, SPIR-V and its
// side facts.
#include "compiler/frontend.h"
#include "util/disk_cache.h"

#include "translator_id.h"

#include <cstring>
#include <type_traits>

namespace compiler {
namespace {

util::DiskCache &cache() {
    static util::DiskCache *const instance =
        new util::DiskCache("glsl"); // lives as long as the process
    return *instance;
}

util::Hash128 key_of(const char *what, pipe_shader_type stage,
                     const std::vector<const std::string *> &sources, const Limits &limits) {
    static_assert(std::has_unique_object_representations_v<Limits>, "hashed as bytes");
    util::Hasher hash(translator_id);
    hash.add(what, std::strlen(what)).value(uint32_t(stage));
    hash.add(MGPIPE_VERSION, std::strlen(MGPIPE_VERSION));
    hash.add(&limits, sizeof limits);
    for (const std::string *s : sources) {
        hash.value(uint64_t(s->size()));
        hash.add(s->data(), s->size());
    }
    return hash.finish128();
}

void put_bytes(std::vector<uint8_t> &out, const void *data, size_t size) {
    const uint32_t n = static_cast<uint32_t>(size);
    const auto *count = reinterpret_cast<const uint8_t *>(&n),
               *bytes = static_cast<const uint8_t *>(data);
    out.insert(out.end(), count, count + 4);
    out.insert(out.end(), bytes, bytes + size);
}

bool get_bytes(const std::vector<uint8_t> &in, size_t &at, const uint8_t *&data, size_t &size) {
    uint32_t n = 0;
    if (in.size() - at < 4)
        return false;
    std::memcpy(&n, in.data() + at, 4);
    at += 4;
    if (in.size() - at < n)
        return false;
    data = in.data() + at;
    size = n;
    at += n;
    return true;
}

std::vector<uint8_t> encode(const FrontendOutput &o) {
    std::vector<uint8_t> out = {uint8_t(o.ok)};
    const std::string side = o.side.serialize();
    put_bytes(out, o.log.data(), o.log.size());
    put_bytes(out, o.spirv.data(), o.spirv.size() * 4);
    put_bytes(out, side.data(), side.size());
    return out;
}

bool decode(const std::vector<uint8_t> &in, FrontendOutput &o) {
    if (in.empty())
        return false;
    size_t at = 1, size = 0;
    const uint8_t *data = nullptr;
    o.ok = in[0] != 0;
    if (!get_bytes(in, at, data, size))
        return false;
    o.log.assign(reinterpret_cast<const char *>(data), size);
    if (!get_bytes(in, at, data, size) || size % 4)
        return false;
    o.spirv.resize(size / 4);
    if (size)
        std::memcpy(o.spirv.data(), data, size);
    if (!get_bytes(in, at, data, size))
        return false;
    o.side = SideInfo::parse(std::string(reinterpret_cast<const char *>(data), size));
    return true;
}

template <class Make> FrontendOutput through_cache(const util::Hash128 &key, Make &&make) {
    FrontendOutput out;
    if (cache().enabled())
        if (const auto found = cache().get(key); found && decode(*found, out))
            return out;
    out = make();
    if (cache().enabled())
        cache().put(key, encode(out));
    return out;
}

} // namespace

FrontendOutput cached_parse(pipe_shader_type stage, const std::string &source,
                            const Limits &limits) {
    return through_cache(key_of("parse", stage, {&source}, limits),
                         [&] { return parse_shader(stage, source, limits); });
}

FrontendOutput cached_generate(pipe_shader_type stage,
                               const std::vector<const CompiledShader *> &shaders,
                               const Limits &limits) {
    std::vector<const std::string *> sources;
    for (const CompiledShader *s : shaders)
        sources.push_back(&s->source);
    return through_cache(key_of("generate", stage, sources, limits),
                         [&] { return generate_stage(stage, shaders, limits); });
}

util::Hash128 output_identity(const Limits &limits) {
    return key_of("output", PIPE_SHADER_VERTEX, {}, limits);
}

} // namespace compiler
