// SPDX-License-Identifier: MIT
#include "espryt_outline.h"

#include <sstream>
#include <vector>

#include "espryt_lowered.h"

namespace espryt {

namespace {

struct passed {
    std::string declarations, statements; // statements copy from vertex k, flat ones from mgp_pv
};

// "TYPE NAME[N];" of a declaration: the name without its array, and the array.
void name_of(const std::string &line, std::string *name, std::string *array) {
    const size_t end = line.rfind(';'), space = line.rfind(' ', end);
    *name = line.substr(space + 1, end - space - 1);
    const size_t bracket = name->find('[');
    *array = bracket == std::string::npos ? "" : name->substr(bracket);
    name->resize(bracket == std::string::npos ? name->size() : bracket);
}

std::string replaced(std::string text, const std::string &what, const std::string &by) {
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

void pass_variable(const std::string &line, passed &out) {
    std::string name, array;
    name_of(line, &name, &array);
    const size_t at = line.find("out ");
    std::string in = line;
    in.replace(at, 4, "in ");
    in = in.substr(0, in.rfind(' ')) + " " + name + "_v[3]" + array + ";\n";
    std::string own = name;
    // Clip distances are matched by name, which the stage before has given up.
    if (name == "mgp_clip_v") {
        own = "mgp_clip";
        in = replaced(in, "mgp_clip_v_v", "mgp_clip_v");
        out.declarations += in + replaced(line, "mgp_clip_v", own) + "\n";
        out.statements += "    mgp_clip = mgp_clip_v[k];\n";
        return;
    }
    const bool flat = line.find("flat ") < at;
    out.declarations += in + line + "\n";
    out.statements += "    " + name + " = " + name + (flat ? "_v[mgp_pv];\n" : "_v[k];\n");
}

// `head`: the line before the brace; members up to the line with the closing one.
bool pass_block(const std::string &head, std::istream &lines, passed &out) {
    std::string line, body, last;
    std::vector<std::pair<std::string, bool>> members; // name, flat
    while (std::getline(lines, line) && line.rfind('}', 0) != 0) {
        body += line + "\n";
        if (line.find(';') == std::string::npos)
            continue;
        std::string name, array;
        name_of(line, &name, &array);
        members.push_back({name, line.find("flat ") != std::string::npos});
    }
    last = line; // "} name;"
    if (last.find('[') != std::string::npos || last.size() < 4)
        return false;
    const std::string name = last.substr(2, last.find(';') - 2);
    std::string in = head;
    in.replace(in.find("out "), 4, "in ");
    out.declarations += in + "\n" + body + "} " + name + "_v[3];\n";
    out.declarations += head + "\n" + body + last + "\n";
    for (const auto &[member, flat] : members)
        out.statements += "    " + name + "." + member + " = " + name + "_v[" +
                          (flat ? "mgp_pv" : "k") + "]." + member + ";\n";
    return true;
}

bool pass_outputs(const std::string &before, passed &out) {
    std::istringstream lines(before);
    std::string line;
    while (std::getline(lines, line)) {
        const size_t at = line.find("out ");
        const bool declares =
            at != std::string::npos &&
            (line.rfind("layout(location", 0) == 0 || at == 0 || line.rfind("flat out ", 0) == 0);
        if (!declares || line.find("gl_") != std::string::npos)
            continue;
        if (line.find(';') != std::string::npos)
            pass_variable(line, out);
        else if (!pass_block(line, lines, out))
            return false;
    }
    return true;
}

const char *const uniforms = R"(
layout(triangles) in;
uniform highp ivec4 mgp_outline;
uniform highp vec4 mgp_outline_offset, mgp_outline_window;
flat out highp int mgp_front;
highp int mgp_pv, mgp_face;
highp float mgp_shift;
)";

const char *const main_function = R"(
highp float mgp_offset() {
    highp vec4 p = mgp_outline_offset;
    if (p.x == 0.0 && p.y == 0.0) return 0.0;
    highp vec3 s = mgp_outline_window.xyz;
    highp vec3 a = gl_in[0].gl_Position.xyz / gl_in[0].gl_Position.w * s;
    highp vec3 b = gl_in[1].gl_Position.xyz / gl_in[1].gl_Position.w * s - a;
    highp vec3 c = gl_in[2].gl_Position.xyz / gl_in[2].gl_Position.w * s - a;
    highp float area = b.x * c.y - c.x * b.y;
    if (area == 0.0 || s.z == 0.0) return 0.0;
    highp float m = max(abs(b.z * c.y - c.z * b.y), abs(c.z * b.x - b.z * c.x)) / abs(area);
    highp float z = max(abs(a.z), max(abs(a.z + b.z), abs(a.z + c.z))) + abs(s.z);
    highp float step = p.z > 0.0 ? p.z : exp2(floor(log2(max(z, 1e-30))) - 23.0);
    highp float o = p.x * m + p.y * step;
    o = p.w > 0.0 ? min(o, p.w) : p.w < 0.0 ? max(o, p.w) : o;
    return o / s.z;
}
void main() {
    highp float area = determinant(mat3(gl_in[0].gl_Position.xyw, gl_in[1].gl_Position.xyw,
                                        gl_in[2].gl_Position.xyw));
    bool front = mgp_outline.y != 0 ? area > 0.0 : area < 0.0;
    if ((mgp_outline.x & (front ? 1 : 2)) != 0) return;
    mgp_face = front ? 1 : 0;
    mgp_pv = mgp_outline.z >= 0 ? mgp_outline.z : gl_PrimitiveIDIn & 1;
    mgp_shift = mgp_offset();
)";

} // namespace

std::string outline_geometry(std::string &before, const outline_options &options) {
    before = replaced(before, "mgp_clip", "mgp_clip_v");
    passed p;
    if (!pass_outputs(before, p))
        return {};
    lowered_text depth;
    if (options.clamp_depth)
        lower_depth_vertex(false, depth);
    std::string text = "#version " + std::to_string(options.version) + " es\n";
    if (options.version < 320)
        text += "#extension GL_EXT_geometry_shader : enable\n"
                "#extension GL_OES_geometry_shader : enable\n"
                "#extension GL_EXT_shader_io_blocks : enable\n"
                "#extension GL_OES_shader_io_blocks : enable\n";
    if (options.state_size || options.program_size)
        text += "#extension GL_EXT_geometry_point_size : enable\n"
                "#extension GL_OES_geometry_point_size : enable\n";
    text += uniforms;
    text += options.points ? "layout(points, max_vertices = 3) out;\n"
                           : "layout(line_strip, max_vertices = 4) out;\n";
    if (options.state_size)
        text += "uniform highp float mgp_point_size;\n";
    text += depth.declarations + p.declarations + "void mgp_emit(int k) {\n" + p.statements +
            "    mgp_front = mgp_face;\n"
            "    gl_PrimitiveID = gl_PrimitiveIDIn;\n"
            "    gl_Position = gl_in[k].gl_Position;\n"
            "    gl_Position.z += mgp_shift * gl_Position.w;\n";
    if (options.state_size)
        text += "    gl_PointSize = mgp_point_size;\n";
    else if (options.program_size)
        text += "    gl_PointSize = gl_in[k].gl_PointSize;\n";
    for (const std::string &line : depth.last)
        text += "    " + line + "\n";
    text += "    EmitVertex();\n";
    text += options.points ? "    EndPrimitive();\n}\n" : "}\n";
    text += main_function;
    text += "    mgp_emit(0);\n    mgp_emit(1);\n    mgp_emit(2);\n";
    return text + (options.points ? "}\n" : "    mgp_emit(0);\n    EndPrimitive();\n}\n");
}

} // namespace espryt
