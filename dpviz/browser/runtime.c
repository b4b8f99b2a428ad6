/* What numba's compiled code asks of its surroundings, and the functions that a page calls.

   numba keeps an array's memory behind a description that counts references. Its code was written for 64-bit places:
   counts and sizes have 64 bits here as well, pointers have 32, and the data's is where its code looks for it. */
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


#define ARRAY(type) void *, void *, int64_t, int64_t, type *, int64_t, int64_t
#define GIVEN(array, length, size) 0, 0, length, size, array, length, size

int32_t dpviz_run(int64_t *, void **, ARRAY(double), ARRAY(double), ARRAY(int32_t), ARRAY(int32_t), ARRAY(double),
                  ARRAY(double));
int32_t dpviz_scores(int64_t *, void **, ARRAY(double), ARRAY(double), ARRAY(int32_t), int64_t, ARRAY(double));

__attribute__((export_name("reserve"))) void *reserve(int bytes) { return malloc(bytes); }

__attribute__((export_name("release"))) void release(void *memory) { free(memory); }

__attribute__((export_name("run"))) int run(double *settings, int n_settings, double *values, int n_values,
                                            int32_t *labels, int32_t *sizes, int n_labels, double *rows, int n_rows,
                                            double *summary, int n_summary) {
    int64_t result = 0;
    void *raised = 0;
    int status = dpviz_run(&result, &raised, GIVEN(settings, n_settings, 8), GIVEN(values, n_values, 8),
                           GIVEN(labels, n_labels, 4), GIVEN(sizes, n_labels, 4), GIVEN(rows, n_rows, 8),
                           GIVEN(summary, n_summary, 8));
    return status ? -1 : (int)result;
}

__attribute__((export_name("scores"))) int scores(double *settings, int n_settings, double *values, int n_values,
                                                  int32_t *labels, int n_labels, int point, double *found,
                                                  int n_found) {
    int64_t result = 0;
    void *raised = 0;
    int status = dpviz_scores(&result, &raised, GIVEN(settings, n_settings, 8), GIVEN(values, n_values, 8),
                              GIVEN(labels, n_labels, 4), point, GIVEN(found, n_found, 8));
    return status ? -1 : (int)result;
}
