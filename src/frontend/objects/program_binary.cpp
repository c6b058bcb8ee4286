// SPDX-License-Identifier: MIT
// Program binaries (GL 4.6 section 7.5): a finished link as bytes. Header, then what the link made:
// the archive, the stages that pipelines compose from, the captured names. Loading one that another
// release, driver or device wrote fails like a link.
#include "compiler/compiler.h"
#include "glapi/gl_api.h"
#include "objects/context.h"
#include "pipe/pipe_archive.h"
#include "util/hash.h"

#include <cstring>

namespace gl {
namespace {

struct Header {
    char magic[8];
    util::Hash128 identity, content; // who wrote it; the bytes behind the header
    uint64_t size;                   // bytes behind the header
};
constexpr char kMagic[8] = {'M', 'G', 'P', 'B', 'I', 'N', '0', '2'};

util::Hash128 identity(const Context &ctx) {
    const util::Hash128 output = compiler::output_identity(compiler_limits(ctx));
    util::Hasher hash;
    hash.add(&output, sizeof output);
    for (const std::string *s : {&ctx.caps->renderer, &ctx.caps->version_string}) {
        hash.value(uint64_t(s->size()));
        hash.add(s->data(), s->size());
    }
    return hash.finish128();
}

// --- writing -------------------------------------------------------------------------------------

void put(std::vector<uint8_t> &out, const void *data, size_t size) {
    const auto *p = static_cast<const uint8_t *>(data);
    out.insert(out.end(), p, p + size);
}
void put_number(std::vector<uint8_t> &out, size_t n) {
    const auto v = uint32_t(n);
    put(out, &v, sizeof v);
}
void put_bytes(std::vector<uint8_t> &out, const void *data, size_t size) {
    put_number(out, size);
    put(out, data, size);
}

std::vector<uint8_t> encode(const Context &ctx, const Program &p) {
    const LinkedProgram &l = *p.linked;
    std::vector<uint8_t> archive, body;
    pipe_shader_archive_encode(*l.archive, archive);
    put_number(body, p.separable);
    put_number(body, l.xfb_mode);
    put_number(body, l.xfb_varyings.size());
    for (const std::string &name : l.xfb_varyings)
        put_bytes(body, name.data(), name.size());
    put_bytes(body, archive.data(), archive.size());
    put_number(body, l.inactive_locations.size());
    for (const auto &[first, count] : l.inactive_locations) {
        put_number(body, first);
        put_number(body, count);
    }
    put_number(body, l.code->size());
    for (const compiler::StageCode &c : *l.code) {
        put_number(body, size_t(c.stage));
        put_bytes(body, c.spirv.data(), c.spirv.size() * 4);
        put_bytes(body, c.side.data(), c.side.size());
    }
    Header h{};
    std::memcpy(h.magic, kMagic, sizeof kMagic);
    h.identity = identity(ctx);
    h.content = util::hash128(body.data(), body.size());
    h.size = body.size();
    std::vector<uint8_t> out;
    put(out, &h, sizeof h);
    put(out, body.data(), body.size());
    return out;
}

// --- reading -------------------------------------------------------------------------------------

struct Reader {
    const uint8_t *at;
    size_t left;
    bool ok = true;

    uint32_t number() {
        uint32_t v = 0;
        if (left < sizeof v)
            ok = false, left = 0;
        else
            take(&v, sizeof v);
        return v;
    }
    // A piece of bytes; its size goes to `size`.
    const uint8_t *bytes(size_t &size) {
        size = number();
        if (size > left)
            ok = false, size = 0, left = 0;
        const uint8_t *p = at;
        at += size;
        left -= size;
        return p;
    }
    std::string text() {
        size_t n = 0;
        const uint8_t *p = bytes(n);
        return std::string(reinterpret_cast<const char *>(p), n);
    }

  private:
    void take(void *to, size_t n) {
        std::memcpy(to, at, n);
        at += n;
        left -= n;
    }
};

bool decode_body(Reader in, PendingLink &link) {
    link.separable = in.number() != 0;
    link.xfb_mode = in.number();
    for (uint32_t n = in.number(); in.ok && n; n--)
        link.xfb_varyings.push_back(in.text());
    size_t size = 0;
    const uint8_t *coded = in.bytes(size);
    auto archive = std::make_shared<pipe_shader_archive>();
    if (!in.ok || !pipe_shader_archive_decode(*archive, coded, size))
        return false;
    link.result = std::make_shared<compiler::LinkOutput>();
    for (uint32_t n = in.number(); in.ok && n; n--) {
        const uint32_t first = in.number(), count = in.number();
        link.result->inactive_locations.emplace_back(first, count);
    }
    auto code = std::make_shared<std::vector<compiler::StageCode>>();
    for (uint32_t n = in.number(); in.ok && n; n--) {
        compiler::StageCode c;
        c.stage = pipe_shader_type(in.number());
        const uint8_t *words = in.bytes(size);
        c.spirv.resize(size / 4);
        if (size)
            std::memcpy(c.spirv.data(), words, c.spirv.size() * 4);
        c.side = in.text();
        code->push_back(std::move(c));
    }
    link.result->ok = true;
    link.result->archive = std::move(archive);
    link.result->code = std::move(code);
    return in.ok && !in.left;
}

// Null, or why the bytes are not taken.
const char *decode(const Context &ctx, const void *binary, size_t size, PendingLink &link) {
    Header h;
    if (!binary || size < sizeof h)
        return "too short";
    std::memcpy(&h, binary, sizeof h);
    if (std::memcmp(h.magic, kMagic, sizeof kMagic) != 0)
        return "not written by this driver";
    if (!(h.identity == identity(ctx)))
        return "written by another release, or for another device";
    const uint8_t *body = static_cast<const uint8_t *>(binary) + sizeof h;
    if (h.size != size - sizeof h || !(util::hash128(body, h.size) == h.content) ||
        !decode_body({body, size_t(h.size)}, link))
        return "damaged";
    return nullptr;
}
} // namespace

GLint program_binary_length(Context &ctx, const Program &p) {
    return p.link_status && p.linked ? GLint(encode(ctx, p).size()) : 0;
}

void GL_ENTRY(GetProgramBinary)(Context &ctx, GLuint name, GLsizei size, GLsizei *length,
                                GLenum *format, void *out) {
    Program *p = nullptr;
    if (!query_tables(ctx, name, "glGetProgramBinary", &p))
        return;
    if (length)
        *length = 0;
    if (size < 0)
        return error(ctx, GL_INVALID_VALUE, "glGetProgramBinary(bufSize %d)", size);
    if (!p->link_status || !p->linked)
        return error(ctx, GL_INVALID_OPERATION, "glGetProgramBinary(program %u is not linked)",
                     name);
    const std::vector<uint8_t> bytes = encode(ctx, *p);
    if (bytes.size() > size_t(size))
        return error(ctx, GL_INVALID_OPERATION, "glGetProgramBinary(%zu bytes, bufSize %d)",
                     bytes.size(), size);
    std::memcpy(out, bytes.data(), bytes.size());
    if (length)
        *length = GLsizei(bytes.size());
    if (format)
        *format = kProgramBinaryFormat;
}

void GL_ENTRY(ProgramBinary)(Context &ctx, GLuint name, GLenum format, const void *binary,
                             GLsizei size) {
    Program *p = lookup_program_err(ctx, name, "glProgramBinary");
    if (!p)
        return;
    if (size < 0)
        return error(ctx, GL_INVALID_VALUE, "glProgramBinary(length %d)", size);
    if (format != kProgramBinaryFormat)
        return error(ctx, GL_INVALID_ENUM, "glProgramBinary(format %s)", enum_name(format));
    const TransformFeedback &x = *ctx.xfb->object;
    if (x.active && x.program == p)
        return error(ctx, GL_INVALID_OPERATION, "glProgramBinary(program %u captures)", name);
    program_wait(ctx, *p);
    p->validate_status = false;
    PendingLink link;
    if (const char *why = decode(ctx, binary, size_t(size), link)) {
        p->link_status = false;
        p->log = std::string("error: the program binary is ") + why + "\n";
        return;
    }
    p->separable_next = link.separable;
    link.binary_hint = p->binary_hint_next;
    program_install(ctx, *p, link);
}
} // namespace gl
