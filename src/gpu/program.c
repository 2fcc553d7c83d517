#include "gpu/program.h"

#include "gpu/shaders.h"

static pleat_result compile(GLenum stage, const char *name, const char *text, const char *define, GLuint *shader,
                            pleat_error *error)
{
    const char *paint = stage == GL_FRAGMENT_SHADER ? pl_shader_paint_glsl : "";
    const char *texts[] = {pl_shader_common_glsl, paint, "#define ", define ? define : "NO_DEFINE", "\n", text};
    *shader = glCreateShader(stage);
    glShaderSource(*shader, 6, texts, NULL);
    glCompileShader(*shader);
    GLint done = 0;
    glGetShaderiv(*shader, GL_COMPILE_STATUS, &done);
    if (!done)
    {
        char log[300] = "";
        glGetShaderInfoLog(*shader, sizeof log, NULL, log);
        glDeleteShader(*shader);
        *shader = 0;
        return pl_fail(error, PLEAT_UNSUPPORTED, "the driver refuses the %s shader '%s': %s",
                       stage == GL_VERTEX_SHADER ? "vertex" : "fragment", name, log);
    }
    return PLEAT_OK;
}

pleat_result pl_program_make(const char *name, const char *vertex_text, const char *fragment_text, const char *define,
                             GLuint *program, pleat_error *error)
{
    GLuint vertex = 0, fragment = 0;
    *program = 0;
    PL_TRY(compile(GL_VERTEX_SHADER, name, vertex_text, NULL, &vertex, error));
    pleat_result result = compile(GL_FRAGMENT_SHADER, name, fragment_text, define, &fragment, error);
    if (result != PLEAT_OK)
    {
        glDeleteShader(vertex);
        return result;
    }
    GLuint made = glCreateProgram();
    glAttachShader(made, vertex);
    glAttachShader(made, fragment);
    glLinkProgram(made);
    glDeleteShader(vertex);
    glDeleteShader(fragment);
    GLint done = 0;
    glGetProgramiv(made, GL_LINK_STATUS, &done);
    if (!done)
    {
        char log[300] = "";
        glGetProgramInfoLog(made, sizeof log, NULL, log);
        glDeleteProgram(made);
        return pl_fail(error, PLEAT_UNSUPPORTED, "the driver cannot link the shader '%s': %s", name, log);
    }
    GLuint block = glGetUniformBlockIndex(made, "frame_block");
    if (block != GL_INVALID_INDEX)
    {
        glUniformBlockBinding(made, block, PL_FRAME_BINDING);
    }
    *program = made;
    return PLEAT_OK;
}

void pl_program_int(GLuint program, const char *uniform, GLint value)
{
    glUseProgram(program);
    glUniform1i(glGetUniformLocation(program, uniform), value);
}
