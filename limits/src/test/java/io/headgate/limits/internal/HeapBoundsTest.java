package io.headgate.limits.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests how many entries fit in a part of the heap. */
class HeapBoundsTest {

    @ParameterizedTest(name = "a heap of {0} bytes: {1}")
    @CsvSource({"1000, 1024", "268435456, 111848", "1073741824, 447392", "17179869184, 1000000"})
    void a_quarter_of_the_heap_within_bounds(long heapBytes, int entries) {
        assertThat(HeapBounds.entries(heapBytes, 4, 600, 1024, 1_000_000)).isEqualTo(entries);
    }

    @ParameterizedTest(name = "a heap of {0} bytes: {1}")
    @CsvSource({"1000, 5000", "120000, 10000", "12000000000, 100000"})
    void a_twelfth_of_the_heap_within_bounds(long heapBytes, long bytes) {
        assertThat(HeapBounds.bytes(heapBytes, 12, 5000, 100_000)).isEqualTo(bytes);
    }
}
