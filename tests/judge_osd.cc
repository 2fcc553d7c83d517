#include "judge_osd.h"

#include <opensubdiv/far/stencilTableFactory.h>
#include <opensubdiv/far/topologyDescriptor.h>
#include <opensubdiv/far/topologyRefinerFactory.h>
#include <opensubdiv/osd/cpuEvaluator.h>

#include <memory>
#include <vector>

using namespace OpenSubdiv;

/* The names without Real cast to a class that the objects are not of, which the sanitizer reports. */
using table = Far::StencilTableReal<float>;
using table_factory = Far::StencilTableFactoryReal<float>;

struct judge_osd
{
    std::unique_ptr<Far::TopologyRefiner> refiner;
    std::unique_ptr<const table> vertex_table;
    std::unique_ptr<const table> value_table;
    std::vector<uint32_t> triangles;
    std::vector<uint32_t> value_triangles;
};

static std::unique_ptr<Far::TopologyRefiner> make_refiner(const judge_osd_desc &desc)
{
    std::vector<int> sizes(desc.triangle_count, 3);
    std::vector<int> indices(desc.triangles, desc.triangles + 3 * size_t(desc.triangle_count));
    std::vector<int> values;
    Far::TopologyDescriptor::FVarChannel channel;
    Far::TopologyDescriptor topology;
    topology.numVertices = int(desc.vertex_count);
    topology.numFaces = int(desc.triangle_count);
    topology.numVertsPerFace = sizes.data();
    topology.vertIndicesPerFace = indices.data();
    if (desc.value_count > 0)
    {
        values.assign(desc.value_triangles, desc.value_triangles + 3 * size_t(desc.triangle_count));
        channel.numValues = int(desc.value_count);
        channel.valueIndices = values.data();
        topology.numFVarChannels = 1;
        topology.fvarChannels = &channel;
    }
    Sdc::Options options;
    options.SetVtxBoundaryInterpolation(desc.sharp_corners ? Sdc::Options::VTX_BOUNDARY_EDGE_AND_CORNER
                                                           : Sdc::Options::VTX_BOUNDARY_EDGE_ONLY);
    options.SetFVarLinearInterpolation(Sdc::Options::FVAR_LINEAR_BOUNDARIES);
    using Factory = Far::TopologyRefinerFactory<Far::TopologyDescriptor>;
    return std::unique_ptr<Far::TopologyRefiner>(
        Factory::Create(topology, Factory::Options(Sdc::SCHEME_LOOP, options)));
}

/* Lists the last level's triangles in the order of their way down. */
static void list_triangles(judge_osd &judge, uint32_t level)
{
    std::vector<int> faces(size_t(judge.refiner->GetLevel(0).GetNumFaces()));
    for (size_t f = 0; f < faces.size(); ++f)
    {
        faces[f] = int(f);
    }
    for (uint32_t l = 0; l < level; ++l)
    {
        std::vector<int> children;
        for (int face : faces)
        {
            Far::ConstIndexArray child = judge.refiner->GetLevel(int(l)).GetFaceChildFaces(face);
            children.insert(children.end(), child.begin(), child.end());
        }
        faces.swap(children);
    }
    const Far::TopologyLevel &last = judge.refiner->GetLevel(int(level));
    for (int face : faces)
    {
        Far::ConstIndexArray corners = last.GetFaceVertices(face);
        judge.triangles.insert(judge.triangles.end(), corners.begin(), corners.end());
        if (last.GetNumFVarChannels() > 0)
        {
            Far::ConstIndexArray values = last.GetFaceFVarValues(face);
            judge.value_triangles.insert(judge.value_triangles.end(), values.begin(), values.end());
        }
    }
}

judge_osd *judge_osd_create(const judge_osd_desc *desc)
{
    auto judge = std::make_unique<judge_osd>();
    judge->refiner = make_refiner(*desc);
    if (!judge->refiner)
    {
        return nullptr;
    }
    Far::TopologyRefiner::UniformOptions uniform(desc->level);
    uniform.fullTopologyInLastLevel = true;
    judge->refiner->RefineUniform(uniform);
    table_factory::Options options;
    options.generateOffsets = true;
    options.generateIntermediateLevels = false;
    options.maxLevel = desc->level;
    judge->vertex_table.reset(table_factory::Create(*judge->refiner, options));
    if (desc->value_count > 0)
    {
        options.interpolationMode = table_factory::INTERPOLATE_FACE_VARYING;
        judge->value_table.reset(table_factory::Create(*judge->refiner, options));
    }
    list_triangles(*judge, desc->level);
    return judge.release();
}

void judge_osd_destroy(judge_osd *judge)
{
    delete judge;
}

uint32_t judge_osd_vertex_count(const judge_osd *judge)
{
    return uint32_t(judge->vertex_table->GetNumStencils());
}

uint32_t judge_osd_value_count(const judge_osd *judge)
{
    return judge->value_table ? uint32_t(judge->value_table->GetNumStencils()) : 0;
}

uint32_t judge_osd_triangle_count(const judge_osd *judge)
{
    return uint32_t(judge->triangles.size() / 3);
}

const uint32_t *judge_osd_triangles(const judge_osd *judge)
{
    return judge->triangles.data();
}

const uint32_t *judge_osd_value_triangles(const judge_osd *judge)
{
    return judge->value_triangles.data();
}

uint64_t judge_osd_tap_count(const judge_osd *judge)
{
    return judge->vertex_table->GetControlIndices().size();
}

static void evaluate(const table &stencils, uint32_t width, const float *in, float *out)
{
    Osd::BufferDescriptor rows(0, int(width), int(width));
    Osd::CpuEvaluator::EvalStencils(in, rows, out, rows, stencils.GetSizes().data(), stencils.GetOffsets().data(),
                                    stencils.GetControlIndices().data(), stencils.GetWeights().data(), 0,
                                    stencils.GetNumStencils());
}

void judge_osd_points(const judge_osd *judge, uint32_t width, const float *in, float *out)
{
    evaluate(*judge->vertex_table, width, in, out);
}

void judge_osd_values(const judge_osd *judge, uint32_t width, const float *in, float *out)
{
    evaluate(*judge->value_table, width, in, out);
}
