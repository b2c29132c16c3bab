package io.headgate.redis.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.queues.AsyncLease;
import io.headgate.queues.Codec;
import io.headgate.queues.Enqueued;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.worker.PollRequest;
import io.headgate.queues.worker.RetryPolicy;
import io.headgate.queues.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Invalid input is rejected with the given value and the allowed range, and changes nothing in Redis. */
class BadInputIT {

    private static final Duration LEASE = Duration.ofSeconds(30);

    @RegisterExtension
    final OwnQueues redis = new OwnQueues();

    private void assertRejected(ThrowingCallable call, String message) {
        Map<String, String> before = redis.stored();
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(message);
        assertThat(redis.stored()).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-a", "a b", "a:b", "ö", "{a}", "a\n"})
    void an_invalid_queue_name_is_rejected(String name) {
        assertRejected(() -> QueueSettings.of(name), "name of a queue must be 1 to 64 of A-Z a-z 0-9 . _ -");
    }

    @Test
    void settings_out_of_range_are_rejected() {
        QueueSettings good = QueueSettings.of("orders");
        assertRejected(() -> good.withMaxJobs(0), "maxJobs must be from 1 to 1000000000, was 0");
        assertRejected(
                () -> good.withMaxPayloadBytes(1 << 21), "maxPayloadBytes must be from 0 to 262144, was 2097152");
        assertRejected(() -> good.withMaxCrashes(0), "maxCrashes must be from 1 to 100, was 0");
    }

    @Test
    void delays_due_times_leases_and_spacings_out_of_range_are_rejected() {
        NewJob<String> job = NewJob.of("a");
        assertRejected(() -> job.after(Duration.ofMillis(-1)), "delay must be from 0 to 3660 days, was PT-0.001S");
        assertRejected(() -> job.after(Duration.ofDays(3661)), "delay must be from 0 to 3660 days");
        assertRejected(() -> job.at(Instant.parse("+10000-01-01T00:00:00Z")), "due from 1970 to the end of 2199");
        assertRejected(() -> job.at(Instant.parse("1969-12-31T23:59:59Z")), "due from 1970 to the end of 2199");
        assertRejected(() -> redis.queue().claim(1, Duration.ZERO), "a lease must be from 10 ms to 1 day, was PT0S");
        assertRejected(() -> redis.queue().claim(1, Duration.ofDays(2)), "a lease must be from 10 ms to 1 day");
        assertRejected(
                () -> redis.queue().deadLetters().redriveOldest(1, Duration.ofDays(2)),
                "spacing must be from 0 to 1 day, was PT48H");
    }

    @Test
    void payloads_keys_headers_and_numbers_of_jobs_out_of_range_are_rejected() {
        JobQueue<String> small = redis.queue(QueueSettings.of("orders").withMaxPayloadBytes(3));
        small.enqueue("abc");
        assertRejected(() -> small.enqueue("abcd"), "bytes of the payload must be from 0 to 3, was 4");
        assertRejected(() -> small.enqueue("öö"), "was 4");
        assertRejected(() -> NewJob.of("a").once(""), "key of a job must be 1 to 255 bytes of UTF-8, was 0");
        assertRejected(() -> NewJob.of("a").once("k".repeat(256)), "was 256");
        assertRejected(() -> NewJob.of("a").once("\ud800"), "key of a job has half of a surrogate pair at index 0");
        assertRejected(() -> NewJob.of("a").header("", "v"), "name of a header must not be empty");
        assertRejected(
                () -> NewJob.of("a").header("h", "v".repeat(20_000)), "bytes of all headers must be from 0 to 16384");
        assertRejected(() -> small.enqueueAll(List.of()), "number of jobs must be from 1 to 500, was 0");
        assertRejected(() -> small.enqueueAll(Collections.nCopies(501, NewJob.of("a"))), "was 501");
        assertRejected(() -> small.claim(0, LEASE), "number of jobs to claim must be from 1 to 500, was 0");
        assertRejected(() -> small.claim(501, LEASE), "was 501");
        assertRejected(() -> small.deadLetters().list(501), "number of dead letters must be from 1 to 500, was 501");
        assertRejected(
                () -> small.deadLetters().discardOldest(0), "number of dead letters must be from 1 to 500, was 0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"half \ud83d", "\udc00 half", "two \ud83d\ud83d\ude00"})
    void text_with_an_unpaired_surrogate_is_rejected(String text) {
        String message = "half of a surrogate pair at index";
        assertRejected(() -> redis.queue().enqueue(text), "payload has " + message);
        assertRejected(() -> redis.queue().async().enqueue(NewJob.of(text)), "payload has " + message);
        assertRejected(
                () -> redis.queue().enqueueAll(List.of(NewJob.of("a"), NewJob.of(text))), "payload has " + message);
        assertRejected(() -> NewJob.of("a").once(text), "key of a job has " + message);
        assertRejected(() -> NewJob.of("a").header(text, "v"), "name of a header has " + message);
        assertRejected(() -> NewJob.of("a").header("h", text), "value of a header has " + message);
        redis.queue().enqueue("whole \ud83d\ude00");
        Lease<String> lease = redis.queue().claim(1, LEASE).get(0);
        assertThat(lease.job().payload()).isEqualTo("whole \ud83d\ude00");
        assertRejected(() -> lease.retry(Duration.ZERO, text), "cause has " + message);
        assertRejected(() -> lease.deadLetter(text), "cause has " + message);
        assertRejected(() -> lease.async().deadLetter(text), "cause has " + message);
    }

    @Test
    void an_invalid_or_too_long_grouping_key_is_rejected() {
        NewJob<String> job = NewJob.of("a");
        assertRejected(() -> job.group(""), "grouping key of a job must be 1 to 255 bytes of UTF-8, was 0");
        assertRejected(() -> job.group("g".repeat(256)), "was 256");
        assertRejected(() -> job.group("\ud800"), "grouping key of a job has half of a surrogate pair at index 0");
        assertRejected(
                () -> job.group("g".repeat(100)).once("k".repeat(155)),
                "grouping key and key of a job must be at most 254 bytes of UTF-8 together, were 255");
        NewJob<String> largest = job.once("k".repeat(154)).group("g".repeat(100));
        redis.queue().enqueue(largest);
        redis.queue().enqueue(job.group("g".repeat(255)));
        assertThat(redis.queue().claim(1, LEASE).get(0).job().key()).contains("k".repeat(154));
    }

    @Test
    void more_than_64_headers_are_rejected() {
        NewJob<String> job = NewJob.of("a");
        for (int i = 0; i < 64; i++) {
            job = job.header("h" + i, "v");
        }
        NewJob<String> full = job;
        assertRejected(() -> full.header("one more", "v"), "number of headers must be from 0 to 64, was 65");
        redis.queue().enqueue(full);
        assertThat(redis.queue().claim(1, LEASE).get(0).job().headers()).hasSize(64);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "00016", "zz01064f1ee5f2900000000000000001"})
    void a_malformed_job_id_is_rejected(String id) {
        assertRejected(
                () -> new JobId(id),
                "the id of a job is 30 hexadecimal digits in lower case, followed by a dash and its tenant if it has"
                        + " one, was \"" + id + "\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-", "a b", "a:b", "a{b}", "ä", "a/b", "a\n"})
    void an_invalid_tenant_name_is_rejected(String tenant) {
        assertRejected(
                () -> NewJob.of("a").tenant(tenant),
                "name of a tenant must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit, was");
        assertRejected(
                () -> new JobId("0".repeat(30) + "-" + tenant),
                "name of a tenant must be 1 to 64 of A-Z a-z 0-9 . _ -");
    }

    @Test
    void a_tenant_that_is_too_long_alone_or_together_with_the_keys_is_rejected() {
        NewJob<String> longest = NewJob.of("a").tenant("t".repeat(64));
        assertRejected(() -> NewJob.of("a").tenant("t".repeat(65)), "name of a tenant must be 1 to 64");
        assertRejected(
                () -> longest.group("g".repeat(100)).once("k".repeat(90)),
                "tenant, grouping key and key of a job must be at most 253 bytes of UTF-8 together, were 254: ");
        NewJob<String> full = longest.group("g".repeat(100)).once("k".repeat(89));
        redis.queue().enqueue(full);
        JobQueue<String> queue = redis.queue();
        assertThat(queue.enqueue(full).outcome()).isEqualTo(Enqueued.Outcome.SAME);
        assertThat(queue.claim(1, LEASE).get(0).job().key()).contains("k".repeat(89));
    }

    @Test
    void more_than_500_excluded_tenants_are_rejected() {
        Set<String> many = IntStream.range(0, 501).mapToObj(i -> "t" + i).collect(Collectors.toSet());
        PollRequest request = new PollRequest(1, LEASE, List.of());
        assertRejected(
                () -> request.withExcludedTenants(many), "number of excluded tenants must be from 0 to 500, was 501");
        assertRejected(() -> request.withExcludedTenants(Set.of("a b")), "name of a tenant must be 1 to 64");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "AB", "zz"})
    void a_malformed_cursor_is_rejected(String cursor) {
        assertRejected(() -> new Cursor(cursor), "a cursor is up to 256 hexadecimal digits in lower case, was \"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"00", "01", "ff0000000000000000000000000000"})
    void a_cursor_that_no_page_of_dead_letters_returned_is_rejected(String cursor) {
        assertRejected(
                () -> redis.queue().deadLetters().list(new Cursor(cursor), 1),
                "a cursor must be one that a page of this list returned, was \"" + cursor);
    }

    @ParameterizedTest
    @ValueSource(strings = {"000000000000000000000000000000", "ffffffffffffffffffffffffffffff"})
    void calls_with_an_unknown_job_id_change_nothing(String id) {
        redis.queue().enqueue("a");
        Map<String, String> before = redis.stored();
        JobId unknown = new JobId(id);
        assertThat(redis.queue().cancel(unknown)).isFalse();
        assertThat(redis.queue().runNow(unknown)).isFalse();
        assertThat(redis.queue().deadLetters().redrive(unknown)).isFalse();
        assertThat(redis.queue().deadLetters().discard(unknown)).isFalse();
        assertThat(redis.stored()).isEqualTo(before);
    }

    @Test
    void leases_of_another_queue_and_empty_lists_are_rejected() {
        redis.queue().enqueue("a");
        List<Lease<String>> leases = redis.queue().claim(1, LEASE);
        JobQueue<String> other = redis.queue(QueueSettings.of("other"));
        assertRejected(() -> other.ackAll(leases), "a lease of another queue can't be acked at queue other");
        List<AsyncLease<String>> none = List.of();
        assertRejected(() -> other.async().ackAll(none), "number of leases must be from 1 to 500, was 0");
    }

    @Test
    void retry_policies_and_concurrency_out_of_range_are_rejected() {
        RetryPolicy good = RetryPolicy.DEFAULT;
        assertRejected(() -> good.withAttempts(0), "attempts must be from 1 to 255, was 0");
        assertRejected(
                () -> good.withWaits(Duration.ofSeconds(2), Duration.ofSeconds(1)),
                "longest wait must be at least base, PT2S, was PT1S");
        assertRejected(
                () -> new RetryPolicy(1, Duration.ZERO, Duration.ZERO, Double.NaN), "jitter must be from 0 to 1");
        assertRejected(() -> Worker.of(redis.queue()).concurrency(0), "concurrency must be from 1 to 10000, was 0");
    }

    @Test
    void an_exception_of_a_codec_reaches_the_caller() {
        Codec<String> broken = Codec.of(
                text -> {
                    throw new IllegalArgumentException("can't encode " + text);
                },
                bytes -> "");
        assertRejected(() -> redis.queue("broken", broken).enqueue("a"), "can't encode a");
    }

    @ParameterizedTest
    @CsvSource({
        "SET, hg:q:{orders}",
        "RPUSH, hg:q:{orders}",
        "SET, hg:q:{orders}:ready:1",
        "SET, hg:q:{orders}:waiting:1"
    })
    void calls_fail_and_change_nothing_when_a_key_holds_a_foreign_value(String command, String key) {
        redis.probe.command(command, key, "foreign");
        Map<String, String> before = redis.stored();
        for (ThrowingCallable call : List.<ThrowingCallable>of(
                () -> redis.queue().enqueue("a"),
                () -> redis.queue().enqueue("a", LEASE),
                () -> redis.queue().enqueue(NewJob.of("a").once("k")),
                () -> redis.queue().claim(1, LEASE),
                () -> redis.queue().counts())) {
            assertThatThrownBy(call)
                    .isInstanceOfSatisfying(QueueException.class, failure -> assertThat(failure.mayBeDone())
                            .isFalse())
                    .hasMessageContaining("the key holds something that Headgate did not store")
                    .hasMessageContaining("hg:q:{orders}");
        }
        assertThat(redis.stored()).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"hg:q:{orders}:ready:1", "hg:q:{orders}:ready-records:1"})
    void enqueue_fails_and_changes_nothing_when_a_list_of_ready_jobs_holds_a_foreign_value(String key) {
        redis.queue().enqueue("later", LEASE);
        redis.probe.command("SET", key, "foreign");
        Map<String, String> before = redis.stored();
        for (ThrowingCallable call :
                List.<ThrowingCallable>of(() -> redis.queue().enqueue("a"), () -> redis.queue()
                        .enqueueAll(List.of(NewJob.of("a"), NewJob.of("b"))))) {
            assertThatThrownBy(call)
                    .isInstanceOf(QueueException.class)
                    .hasMessageContaining("the key holds something that Headgate did not store");
        }
        assertThat(redis.stored()).isEqualTo(before);
    }

    @Test
    void jobs_of_the_largest_payload_size_are_enqueued_and_claimed() {
        JobQueue<String> large = redis.queue(QueueSettings.of("orders").withMaxPayloadBytes(256 << 10));
        String payload = "x".repeat(256 << 10);
        for (int i = 0; i < 3; i++) {
            large.enqueue(payload);
        }
        // The bytes of a claim are bounded, so it takes fewer jobs than it may.
        List<Lease<String>> leases = large.claim(10, LEASE);
        assertThat(leases).hasSize(1);
        assertThat(leases.get(0).job().payload()).hasSize(256 << 10);
        assertThat(large.claim(10, LEASE)).isNotEmpty();
        assertThat(large.counts().leased()).isGreaterThanOrEqualTo(2);
    }
}
