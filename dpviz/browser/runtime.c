/* What numba's compiled code asks of its surroundings, and the functions that a page calls.

   numba keeps an array's memory behind a description that counts references. Its code was written for 64-bit places:
   counts and sizes have 64 bits here as well, pointers have 32, and the data's is where its code looks for it. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct Memory {
    uint64_t references;
    void *destroy, *destroy_info;
    void *data;
    uint32_t unused;
    uint64_t size;
    struct Memory *earlier, *later;
} Memory;

_Static_assert(__builtin_offsetof(Memory, data) == 16, "numba's code reads the data's place here");

/* The memory that is in use, by the time of its allocation: most functions free what is later than their call. */
static Memory *latest;

Memory *NRT_MemInfo_alloc_aligned(int64_t size, int32_t alignment) {
    Memory *memory = malloc(sizeof(Memory) + size + alignment);
    if (!memory) __builtin_trap();
    uintptr_t first = (uintptr_t)(memory + 1);
    memory->references = 1;
    memory->data = (void *)((first + alignment - 1) / alignment * alignment);
    memory->size = size;
    memory->earlier = latest;
    memory->later = 0;
    if (latest) latest->later = memory;
    return latest = memory;
}

void NRT_MemInfo_call_dtor(Memory *memory) {
    if (memory->earlier) memory->earlier->later = memory->later;
    if (memory->later) memory->later->earlier = memory->earlier;
    else latest = memory->earlier;
    free(memory);
}

Memory *memory_latest(void) { return latest; }

void memory_free_after(Memory *memory) {
    while (latest != memory) NRT_MemInfo_call_dtor(latest);
}

/* Compiled code can raise exceptions with a text, as for arrays of unequal shapes, which no run has: that ends it. */
void *PyExc_RuntimeError;

void PyErr_SetString(void *kind, const char *text) { __builtin_trap(); }

void *NRT_MemInfo_alloc(int64_t size) { __builtin_trap(); }

void *NRT_MemInfo_new_varsize_dtor(int64_t size, void *destroy) { __builtin_trap(); }

void *NRT_MemInfo_varsize_realloc(void *memory, int64_t size) { __builtin_trap(); }

void *NRT_Allocate(int64_t size) { return malloc(size); }

void NRT_Free(void *memory) { free(memory); }

double numba_frexp(double value, int *exponent) { return frexp(value, exponent); }

/* numba passes an array as seven numbers; a page passes its address and its length. */
#define ARRAY(type) void *, void *, int64_t, int64_t, type *, int64_t, int64_t
#define NUMBERS ARRAY(double)
#define LABELS ARRAY(int32_t)
#define TAKES(type, name) type *name, int n_##name
#define GIVEN(name) 0, 0, n_##name, sizeof *name, name, n_##name, sizeof *name
#define EXPORT(name) __attribute__((export_name(#name))) int name

/* Every question is compiled for every family, and all but scores for algorithms without one. A table of columns is one
   more array, behind the values. */
#ifdef COLUMNS
#define FAMILIES(QUESTION) QUESTION(mixed)
#define ALL FAMILIES
#define RUN_OF NUMBERS, NUMBERS, NUMBERS
#define TAKES_RUN TAKES(double, settings), TAKES(double, values), TAKES(double, columns)
#define GIVEN_RUN GIVEN(columns), GIVEN(settings), GIVEN(values)
#else
#define FAMILIES(QUESTION) \
    QUESTION(normal_wishart) QUESTION(normal_gamma) QUESTION(spherical_normal) QUESTION(normal_known_covariance)
#define ALL(QUESTION) FAMILIES(QUESTION) QUESTION(centres)
#define RUN_OF NUMBERS, NUMBERS
#define TAKES_RUN TAKES(double, settings), TAKES(double, values)
#define GIVEN_RUN GIVEN(settings), GIVEN(values)
#endif

#define ANSWER(name, ...) \
    int64_t result = 0; \
    void *raised = 0; \
    int32_t status = dpviz_##name(&result, &raised, GIVEN_RUN, __VA_ARGS__); \
    return status ? -1 : (int)result

__attribute__((export_name("reserve"))) void *reserve(int bytes) { return malloc(bytes); }

__attribute__((export_name("release"))) void release(void *memory) { free(memory); }

#define RUN(of) \
    int32_t dpviz_run_##of(int64_t *, void **, RUN_OF, LABELS, NUMBERS, NUMBERS, NUMBERS, double); \
    EXPORT(run_##of)(TAKES_RUN, TAKES(int32_t, labels), \
                     TAKES(double, rows), TAKES(double, summary), TAKES(double, kept), double most) { \
        ANSWER(run_##of, GIVEN(labels), GIVEN(rows), GIVEN(summary), GIVEN(kept), most); \
    }
ALL(RUN)

#define SCORES(of) \
    int32_t dpviz_scores_##of(int64_t *, void **, RUN_OF, LABELS, int64_t, NUMBERS); \
    EXPORT(scores_##of)(TAKES_RUN, TAKES(int32_t, labels), int point, \
                        TAKES(double, found)) { \
        ANSWER(scores_##of, GIVEN(labels), point, GIVEN(found)); \
    }
FAMILIES(SCORES)

#ifndef COLUMNS
#define PLACES(of) \
    int32_t dpviz_places_##of(int64_t *, void **, RUN_OF, LABELS, NUMBERS, NUMBERS, NUMBERS); \
    EXPORT(places_##of)(TAKES_RUN, TAKES(int32_t, labels), \
                        TAKES(double, where), TAKES(double, found), TAKES(double, taken)) { \
        ANSWER(places_##of, GIVEN(labels), GIVEN(where), GIVEN(found), GIVEN(taken)); \
    }
ALL(PLACES)

#define SHAPES(of) \
    int32_t dpviz_shapes_##of(int64_t *, void **, RUN_OF, LABELS, NUMBERS, NUMBERS, LABELS); \
    EXPORT(shapes_##of)(TAKES_RUN, TAKES(int32_t, labels), TAKES(double, plane), \
                        TAKES(double, found), TAKES(int32_t, offsets)) { \
        ANSWER(shapes_##of, GIVEN(labels), GIVEN(plane), GIVEN(found), GIVEN(offsets)); \
    }
ALL(SHAPES)
#endif

#define VISITS(of) \
    int32_t dpviz_visits_##of(int64_t *, void **, RUN_OF, int64_t, int64_t, LABELS, LABELS, NUMBERS, NUMBERS); \
    EXPORT(visits_##of)(TAKES_RUN, int start, int sweep, \
                        TAKES(int32_t, visited), TAKES(int32_t, candidates), TAKES(double, costs), \
                        TAKES(double, nll)) { \
        ANSWER(visits_##of, start, sweep, GIVEN(visited), GIVEN(candidates), GIVEN(costs), GIVEN(nll)); \
    }
ALL(VISITS)
