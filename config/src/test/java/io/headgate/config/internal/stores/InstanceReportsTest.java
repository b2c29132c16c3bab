package io.headgate.config.internal.stores;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.sources.PolicyInstance;
import io.headgate.config.sources.PolicyPreview;
import io.headgate.config.sources.PolicyPreview.Outcomes;
import io.headgate.config.sources.PolicyPreview.PolicyCounts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How often reports and previews are written, and what is read of them. */
class InstanceReportsTest {

    private static final StoreKeys KEYS = StoreKeys.of("/", "hg");

    private final Leases leases = new Leases();
    private final AtomicLong nanos = new AtomicLong();
    private final InstanceReports reports = new InstanceReports(leases, KEYS, nanos::get);

    /** Records what is written and read. */
    private static final class Leases implements StoreLeases {

        private final List<String> written = new ArrayList<>();
        private final List<String> read = new ArrayList<>();
        private final Map<String, String> values = new LinkedHashMap<>();

        @Override
        public String grant() {
            return "1";
        }

        @Override
        public void extend(String lease) {
            // It never expires.
        }

        @Override
        public void put(String lease, String prefix, String text) {
            written.add(prefix);
            values.put(prefix, text);
        }

        @Override
        public void revoke(String lease) {
            values.clear();
        }

        @Override
        public Map<String, String> texts(String prefix, int maxBytes) {
            read.add(prefix);
            return values.containsKey(prefix) ? Map.of("id", values.getOrDefault(prefix, "")) : Map.of();
        }
    }

    private void set(String shadow, int policies, long requests) {
        List<PolicyCounts> counts = IntStream.range(0, policies)
                .mapToObj(i -> new PolicyCounts(
                        "policy-" + i, false, Instant.EPOCH, requests, new Outcomes(0, 0, 0, 0), 0, 0, 0, List.of()))
                .toList();
        PolicyPreview preview = new PolicyPreview(shadow, "2-a", Instant.EPOCH, Optional.empty(), counts);
        reports.set(new PolicyInstance("web-1:1", "2-a", Instant.EPOCH, Optional.empty(), Optional.of(preview)));
    }

    /** Returns the number of writes of previews whose counts change each second. */
    private long previewsIn(Duration time, int policies) {
        long before = previews();
        for (int second = 0; second < time.toSeconds(); second++) {
            set("1-b", policies, nanos.get() + 1);
            reports.write(second % 5 == 0);
            nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        }
        return previews() - before;
    }

    private long previews() {
        return leases.written.stream().filter(KEYS.previews()::equals).count();
    }

    @Test
    void counts_are_written_after_some_seconds_and_then_every_30_seconds() {
        assertThat(previewsIn(Duration.ofSeconds(6), 1)).isEqualTo(2);
        previewsIn(Duration.ofMinutes(1), 1);
        assertThat(previewsIn(Duration.ofMinutes(10), 1)).isEqualTo(20);
        assertThat(leases.written).filteredOn(KEYS.instances()::equals).hasSize(1);
    }

    @Test
    void large_previews_are_written_at_1_kB_per_second_at_most() {
        previewsIn(Duration.ofMinutes(20), 500);
        long bytes = previewsIn(Duration.ofHours(1), 500)
                * leases.values.getOrDefault(KEYS.previews(), "").length();
        assertThat(bytes).isBetween(1_000_000L, 3_600_000L);
    }

    @Test
    void another_shadow_version_or_its_end_is_written_at_once() {
        set("1-b", 1, 1);
        reports.write(false);
        set("2-b", 1, 0);
        reports.write(false);
        reports.set(new PolicyInstance("web-1:1", "2-a", Instant.EPOCH, Optional.empty(), Optional.empty()));
        reports.write(false);
        assertThat(previews()).isEqualTo(3);
        assertThat(leases.values).containsEntry(KEYS.previews(), "");
    }

    @Test
    void previews_are_read_only_if_they_are_wanted() {
        set("1-b", 1, 1);
        reports.write(true);
        assertThat(reports.all()).singleElement().satisfies(one -> assertThat(one.preview())
                .isEmpty());
        assertThat(leases.read).containsExactly(KEYS.instances());
        assertThat(reports.previews()).singleElement().satisfies(one -> assertThat(one.preview())
                .isPresent());
    }
}
