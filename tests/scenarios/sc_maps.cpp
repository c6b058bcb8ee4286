// SPDX-License-Identifier: MIT
// What programs write to persistent maps: sizes, places, threads, orders; whatever finds it
// (MGPIPE_MAPS).
#include "scenario.h"

#include <atomic>
#include <cstring>
#include <thread>
#include <unistd.h>

using namespace scenario;

namespace {

constexpr GLbitfield kWrite = GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;

// A buffer with such a map of [offset, offset + length).
struct Map {
    GLuint buffer = 0;
    GLsizeiptr size = 0;
    GLintptr offset = 0;
    std::vector<uint8_t> want; // the whole buffer
    uint8_t *bytes = nullptr;  // of the map
};

uint8_t value(size_t i, unsigned turn) {
    return uint8_t(i * 7 + i / 251 + turn * 13);
}

Map map(GLsizeiptr size, GLintptr offset, GLsizeiptr length, GLbitfield access = kWrite) {
    need(44, "GL_ARB_buffer_storage");
    Map m;
    m.size = size;
    m.offset = offset;
    m.want.resize(size_t(size));
    for (size_t i = 0; i < m.want.size(); i++)
        m.want[i] = value(i, 0);
    glGenBuffers(1, &m.buffer);
    glBindBuffer(GL_COPY_READ_BUFFER, m.buffer);
    glBufferStorage(GL_COPY_READ_BUFFER, size, m.want.data(), access | GL_DYNAMIC_STORAGE_BIT);
    m.bytes = static_cast<uint8_t *>(glMapBufferRange(GL_COPY_READ_BUFFER, offset, length, access));
    if (!m.bytes)
        fail(__FILE__, __LINE__, "no map of " + std::to_string(length) + " bytes");
    return m;
}

void write(Map &m, size_t at, uint8_t v) { // `at` counts from the start of the buffer
    m.bytes[at - size_t(m.offset)] = v;
    m.want[at] = v;
}

// What a command that comes now finds there.
std::vector<uint8_t> copied(const Map &m) {
    std::vector<uint8_t> got(m.want.size());
    const GLuint to = buffer(GL_COPY_WRITE_BUFFER, nullptr, got.size(), GL_STREAM_READ);
    glBindBuffer(GL_COPY_READ_BUFFER, m.buffer);
    glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, m.size);
    glGetBufferSubData(GL_COPY_WRITE_BUFFER, 0, m.size, got.data());
    glDeleteBuffers(1, &to);
    return got;
}

void expect_seen(const Map &m) {
    const std::vector<uint8_t> got = copied(m);
    size_t wrong = 0, first = 0;
    for (size_t i = got.size(); i-- > 0;)
        if (got[i] != m.want[i])
            wrong++, first = i;
    if (wrong)
        fail(__FILE__, __LINE__,
             std::to_string(wrong) + " bytes of " + std::to_string(got.size()) +
                 " are not what was written, the first is " + std::to_string(first));
}

} // namespace

SCENARIO(map_writes_of_many_sizes) {
    const size_t page = size_t(sysconf(_SC_PAGESIZE));
    for (const size_t size : {size_t(1), size_t(3), size_t(64), page - 1, page, page + 1,
                              16 * page + 5, size_t(1) << 20, (size_t(5) << 20) + 777}) {
        const size_t lead = size > 8 ? size / 5 : 0, end = size > 8 ? size - size / 7 : size;
        Map m = map(GLsizeiptr(size), GLintptr(lead), GLsizeiptr(end - lead));
        if (!m.bytes)
            return;
        expect_seen(m);
        write(m, lead, 0xaa);
        write(m, end - 1, 0x55);
        expect_seen(m);
        for (unsigned turn = 1; turn < 4; turn++) {
            // bytes here and there, some on both sides of the end of a page
            for (size_t i = lead + turn; i < end; i += 1 + page * turn + i % 97)
                write(m, i, value(i, turn));
            for (size_t i = (lead / page + turn) * page; i > lead && i < end; i += 3 * page) {
                write(m, i - 1, value(i, turn + 9));
                write(m, i, value(i, turn + 9));
            }
            expect_seen(m);
        }
        for (size_t i = lead; i < end; i++)
            write(m, i, value(i, 77));
        expect_seen(m);
        expect_seen(m); // nothing was written
        glBindBuffer(GL_COPY_READ_BUFFER, m.buffer);
        write(m, lead, 0x11); // goes with the unmap
        EXPECT(glUnmapBuffer(GL_COPY_READ_BUFFER));
        expect_seen(m);
        glDeleteBuffers(1, &m.buffer);
    }
}

SCENARIO(map_writes_of_threads) {
    // They write on and on, also while commands read; in the end nothing is missing.
    constexpr size_t size = 1 << 20, threads = 3;
    Map m = map(size, 0, size);
    if (!m.bytes)
        return;
    std::atomic<unsigned> running{threads};
    std::vector<std::thread> writers;
    for (size_t t = 0; t < threads; t++)
        writers.emplace_back([&, t] {
            for (unsigned turn = 1; turn <= 40; turn++)
                for (size_t i = t; i < size; i += threads * (1 + turn * 7 % 61))
                    std::atomic_ref(m.bytes[i]).store(value(i, turn), std::memory_order_relaxed);
            running.fetch_sub(1);
        });
    do
        copied(m);
    while (running.load());
    for (std::thread &t : writers)
        t.join();
    memcpy(m.want.data(), m.bytes, size);
    expect_seen(m);
}

SCENARIO(map_written_by_the_kernel) {
    constexpr size_t size = 300000, at = 123456;
    Map m = map(size, 0, size);
    if (!m.bytes)
        return;
    expect_seen(m);
    int ends[2];
    EXPECT(pipe(ends) == 0);
    const std::vector<uint8_t> news(5000, 0x42);
    EXPECT(write(ends[1], news.data(), news.size()) == ssize_t(news.size()));
    EXPECT(read(ends[0], m.bytes + at, news.size()) == ssize_t(news.size()));
    close(ends[0]);
    close(ends[1]);
    memcpy(m.want.data() + at, news.data(), news.size());
    expect_seen(m);
}

SCENARIO(map_keeps_its_address_and_the_order_of_commands) {
    // Whole new contents, in the order of the commands, while the program has the address.
    constexpr GLsizeiptr size = 256 << 10;
    Map m = map(size, 0, size, kWrite | GL_MAP_READ_BIT);
    if (!m.bytes)
        return;
    const std::vector<uint8_t> old = m.want;
    const GLuint first = buffer(GL_COPY_WRITE_BUFFER, nullptr, size, GL_STREAM_READ);
    for (unsigned turn = 1; turn < 4; turn++) {
        const std::vector<uint8_t> before = m.want;
        glBindBuffer(GL_COPY_READ_BUFFER, m.buffer);
        glBindBuffer(GL_COPY_WRITE_BUFFER, first);
        glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, size);
        for (size_t i = 0; i < size_t(size); i++)
            m.want[i] = value(i, turn);
        glBufferSubData(GL_COPY_READ_BUFFER, 0, size, m.want.data());
        expect_seen(m);
        std::vector<uint8_t> got(before.size());
        glBindBuffer(GL_COPY_WRITE_BUFFER, first);
        glGetBufferSubData(GL_COPY_WRITE_BUFFER, 0, size, got.data());
        EXPECT(got == before);
        glFinish();
        EXPECT(memcmp(m.bytes, m.want.data(), size_t(size)) == 0);
        write(m, 4097 * turn, uint8_t(turn));
        expect_seen(m);
    }
    if (version() >= 43) {
        glInvalidateBufferData(m.buffer);
        for (size_t i = 0; i < size_t(size); i++)
            write(m, i, value(i, 9));
        expect_seen(m);
    }
}

SCENARIO(map_again_in_another_way) {
    constexpr GLsizeiptr size = 200 << 10;
    Map m = map(size, 0, size, kWrite | GL_MAP_READ_BIT);
    if (!m.bytes)
        return;
    write(m, 5000, 1);
    expect_seen(m);
    for (unsigned turn = 1; turn < 4; turn++) {
        glBindBuffer(GL_COPY_READ_BUFFER, m.buffer);
        EXPECT(glUnmapBuffer(GL_COPY_READ_BUFFER));
        m.bytes = static_cast<uint8_t *>(
            glMapBufferRange(GL_COPY_READ_BUFFER, 0, size, GL_MAP_READ_BIT | GL_MAP_WRITE_BIT));
        EXPECT(m.bytes && memcmp(m.bytes, m.want.data(), size_t(size)) == 0);
        write(m, 100 * turn, uint8_t(turn));
        EXPECT(glUnmapBuffer(GL_COPY_READ_BUFFER));
        const uint8_t byte = uint8_t(200 + turn);
        glBufferSubData(GL_COPY_READ_BUFFER, 9000 + GLintptr(turn), 1, &byte);
        m.want[9000 + turn] = byte;
        m.bytes = static_cast<uint8_t *>(
            glMapBufferRange(GL_COPY_READ_BUFFER, 4096, 65536, kWrite | GL_MAP_READ_BIT));
        m.offset = 4096;
        EXPECT(m.bytes && memcmp(m.bytes, m.want.data() + 4096, 65536) == 0);
        write(m, 6000 + turn, uint8_t(turn));
        expect_seen(m);
        m.offset = 0;
    }
}

SCENARIO(map_of_a_buffer_that_is_deleted) {
    // Many at once, deleted while they are mapped and used.
    constexpr int count = 300;
    std::vector<Map> maps;
    for (int i = 0; i < count && failures() == 0; i++) {
        maps.push_back(map(1000 + i, 0, 1000 + i));
        write(maps.back(), size_t(i), uint8_t(i));
    }
    for (size_t i = 0; i < maps.size(); i += 37)
        expect_seen(maps[i]);
    for (const Map &m : maps) {
        glBindBuffer(GL_COPY_READ_BUFFER, m.buffer);
        const GLuint to = buffer(GL_COPY_WRITE_BUFFER, nullptr, size_t(m.size), GL_STREAM_READ);
        glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, m.size);
        glDeleteBuffers(1, &m.buffer);
        glDeleteBuffers(1, &to);
    }
    Map last = map(5000, 0, 5000);
    write(last, 4999, 1);
    expect_seen(last);
}

SCENARIO(map_of_vertices_that_move) {
    // Draws without any call between the write and the draw, none of which waits.
    target(16, 16);
    need(44, "GL_ARB_buffer_storage");
    glUseProgram(program(
        "#version 330\nlayout(location = 0) in vec2 p; void main() { gl_Position = vec4(p, 0, 1); "
        "gl_PointSize = 1.0; }",
        "#version 330\nout vec4 o; void main() { o = vec4(1); }"));
    vertex_array();
    constexpr GLsizeiptr size = 512 << 10;
    GLuint b = 0;
    glGenBuffers(1, &b);
    glBindBuffer(GL_ARRAY_BUFFER, b);
    glBufferStorage(GL_ARRAY_BUFFER, size, nullptr, kWrite);
    auto *v = static_cast<float *>(glMapBufferRange(GL_ARRAY_BUFFER, 0, size, kWrite));
    if (!v)
        return fail(__FILE__, __LINE__, "no map");
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 8, nullptr);
    clear_color(0, 0, 0, 1);
    for (int i = 0; i < 16; i++) { // each has a place of its own, thousands of bytes apart
        const int at = i * 4001;
        v[2 * at] = -1.0f + (float(i) + 0.5f) / 8.0f;
        v[2 * at + 1] = -1.0f + (float(15 - i) + 0.5f) / 8.0f;
        glDrawArrays(GL_POINTS, at, 1);
    }
    const std::vector<uint8_t> got = read_rgba8(0, 0, 16, 16);
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 16; x++)
            EXPECT_EQ(int(got[size_t(4 * (16 * y + x))]), x == 15 - y ? 255 : 0);
}
