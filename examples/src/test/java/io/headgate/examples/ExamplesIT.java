package io.headgate.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.examples.metrics.MeasuredEngines;
import io.headgate.examples.policies.BannedAddresses;
import io.headgate.examples.policies.BannedUsers;
import io.headgate.examples.policies.CustomerLimits;
import io.headgate.examples.policies.PoliciesFromFile;
import io.headgate.examples.policies.ReloadedPolicies;
import io.headgate.examples.policies.SeveralPolicies;
import io.headgate.limits.Fallback;
import io.headgate.limits.LimiterException;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.testkit.Leftovers;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each example, run by its main method on a real Redis, prints what its guide says. */
class ExamplesIT {

    private static final RedisServer REDIS = RedisServer.startOwn();

    /** How often an example is tried: with the default timeout, a call to Redis may fail on a very busy machine. */
    private static final int TRIES = 5;

    private final RedisProbe probe = RedisProbe.of(REDIS.url());

    @BeforeEach
    void connect_once_before_the_example() {
        try (RedisLimitEngine limits = RedisLimitEngine.builder(
                        RedisSettings.of(REDIS.url()).withTimeout(Duration.ofMinutes(1)))
                .fallback(Fallback.none())
                .build()) {
            limits.allow("nobody", "warm-up", 1, Duration.ofSeconds(1));
        }
    }

    @AfterEach
    void nothing_is_left_behind() {
        Leftovers.in(REDIS.url(), "*").requireNone();
        probe.close();
    }

    @AfterAll
    static void stop_the_redis() {
        REDIS.close();
    }

    @Test
    void the_first_limit_admits_five_requests_and_returns_when_to_retry() {
        List<String> lines = run(FirstLimit::main, REDIS.url());
        assertThat(lines.subList(0, 5))
                .containsExactly(
                        "allowed, 4 left", "allowed, 3 left", "allowed, 2 left", "allowed, 1 left", "allowed, 0 left");
        assertThat(lines.get(5)).startsWith("denied, retry after PT");
        assertThat(keys()).containsExactly("hg:sw:logins:limit:alice");
    }

    @Test
    void the_first_queue_handles_both_jobs() {
        assertThat(run(FirstQueue::main, REDIS.url()))
                .containsExactlyInAnyOrder("welcome, alice", "how do you like it?");
        // The description of a queue remains when its jobs are done.
        assertThat(keys()).containsExactlyInAnyOrder("hg:q:{mails}", "hg:queues");
        probe.flushAll();
    }

    @Test
    void the_sixth_login_is_denied_by_the_rule_for_users() {
        assertThat(run(LoginLimits::main, REDIS.url()))
                .containsExactly("allowed", "allowed", "allowed", "allowed", "allowed", "denied by per-user");
    }

    @Test
    void the_third_request_of_a_client_is_denied_by_the_http_server() {
        assertThat(run(LimitedHttpServer::main)).containsExactly("200", "200", "429");
    }

    @Test
    void all_paced_calls_are_admitted() {
        assertThat(run(PacedCalls::main, REDIS.url())).containsExactly("call 1", "call 2", "call 3");
    }

    @Test
    void the_queue_of_mails_sends_two_and_keeps_the_third_as_a_dead_letter() {
        List<String> lines = run(MailQueue::main, REDIS.url());
        assertThat(lines.subList(0, 2)).containsExactly("ADDED", "SAME");
        assertThat(lines.subList(2, 4)).containsExactlyInAnyOrder("welcome, alice", "how do you like it?");
        assertThat(lines.get(4)).isEqualTo("dead: bill 4711 to nobody");
        assertThat(lines.get(5)).contains("IllegalArgumentException", "no such address");
        probe.flushAll();
    }

    @Test
    void failing_jobs_are_retried_parked_or_redriven_from_the_dead_letters() {
        assertThat(run(FailingJobs::main, REDIS.url()))
                .containsExactlyInAnyOrder(
                        "done in attempt 2: a mail that the server refuses for now",
                        "done in attempt 1: a mail that meets no server",
                        "given up: no mail at all: java.lang.IllegalArgumentException: no address",
                        "done in attempt 1: no mail at all",
                        "dead letters: 0");
        probe.flushAll();
    }

    @Test
    void mails_are_sent_now_and_later_or_are_dead_letters_after_three_attempts() {
        List<String> lines = run(DelayedMails::main, REDIS.url());
        assertThat(lines.subList(0, 2)).containsExactly("ADDED", "SAME");
        assertThat(lines)
                .containsExactlyInAnyOrder(
                        "ADDED",
                        "SAME",
                        "sent to alice: welcome",
                        "sent to alice: how do you like it?",
                        "dead after 3 attempts: to nobody: bill 4711");
        probe.flushAll();
    }

    @Test
    void both_groups_of_a_stream_handle_every_order() {
        assertThat(run(OrderStream::main, REDIS.url()))
                .containsExactlyInAnyOrder(
                        "bill order 4711", "bill order 4712", "index order 4711", "index order 4712");
        probe.flushAll();
    }

    @Test
    void the_due_job_of_a_group_is_claimed_and_a_duplicate_of_a_done_job_is_rejected() {
        assertThat(run(GroupedJobs::main, REDIS.url())).containsExactly("charge", "DONE", "SAME");
        probe.flushAll();
    }

    @Test
    void the_single_job_of_a_tenant_does_not_wait_behind_the_many_jobs_of_another() {
        assertThat(run(TenantJobs::main, REDIS.url()))
                .containsExactly("acme: import a file", "globex: send an invoice");
        probe.flushAll();
    }

    @Test
    void writes_that_no_replica_confirms_report_it() {
        assertThat(run(DurableOrders::main, REDIS.url()))
                .containsExactly(
                        "enqueue: in the queue, but only 0 of 1 replicas confirmed within 500 ms",
                        "produce: in the stream, but only 0 of 1 replicas confirmed within 500 ms",
                        "pause: done, but only 0 of 1 replicas confirmed within 500 ms");
        probe.flushAll();
    }

    @Test
    void an_entry_that_was_produced_twice_is_handled_once() {
        assertThat(run(ProducedTwice::main, REDIS.url()))
                .containsExactly("bill order 4711", "entries: 2", "to bill: 0");
        probe.flushAll();
    }

    @Test
    void the_one_line_limit_admits_five_a_day() {
        assertThat(run(OneLine::main, REDIS.url()))
                .containsExactly(
                        "SMS 1: sent", "SMS 2: sent", "SMS 3: sent", "SMS 4: sent", "SMS 5: sent", "SMS 6: not sent");
    }

    @Test
    void a_failed_outgoing_call_is_refunded_and_calls_to_a_partner_continue_after_a_pause() {
        assertThat(run(OutgoingCalls::main, REDIS.url()))
                .containsExactly("one more", "denied by per-user", "PAUSED", "false");
        // The refund has a record, so that it happens only once.
        assertThat(keys().stream().filter(key -> key.contains(":sms:")))
                .hasSize(3)
                .contains("hg:lb:sms:provider:", "hg:cw:sms:per-user:alice")
                .anyMatch(key -> key.startsWith("hg:rf:sms:"));
    }

    @Test
    void a_request_that_one_of_several_rules_denies_is_charged_to_none() {
        assertThat(run(SeveralRules::main, REDIS.url()))
                .containsExactly("allowed, 8 of 10 left", "denied by per-user, 8 of 10 left", "allowed, 1 of 10 left");
        assertThat(keys())
                .containsExactlyInAnyOrder(
                        "hg:tb:api:global:", "hg:sw:api:per-user:alice", "hg:fw:api:per-ip:192.0.2.7");
    }

    @Test
    void overrides_give_a_customer_and_a_plan_limits_of_their_own() {
        assertThat(run(CustomerLimits::main, REDIS.url()))
                .containsExactly("499 of 500 left", "999 of 1000 left", "99 of 100 left", "198 of 200 left");
    }

    @Test
    void several_policies_are_charged_all_or_none() {
        assertThat(run(SeveralPolicies::main, REDIS.url()))
                .containsExactly("allowed", "allowed", "denied by requests-per-address", "3 of 5 left");
    }

    @Test
    void a_retry_under_a_request_id_returns_the_first_decision() {
        assertThat(run(Retries::main, REDIS.url())).containsExactly("same decision: true", "9 left");
    }

    @Test
    void leased_permits_decide_most_requests_without_a_call() {
        assertThat(run(LeasedPermits::main, REDIS.url())).containsExactly("more than half without a call: true");
    }

    @Test
    void a_download_takes_a_hold_and_releases_it() {
        assertThat(run(ConcurrentDownloads::main, REDIS.url())).containsExactly("downloading");
        assertThat(keys()).isEmpty();
    }

    @Test
    void concurrent_exports_are_limited() {
        assertThat(run(ConcurrentExports::main, REDIS.url()))
                .containsExactly("2 held", "denied by per-user", "exporting", "released", "without Redis: CLOSED");
        assertThat(keys()).isEmpty();
    }

    @Test
    void a_hold_is_renewed_and_released_by_its_ticket() {
        assertThat(run(HoldsByTicket::main, REDIS.url())).containsExactly("renewed", "released");
        assertThat(keys()).isEmpty();
    }

    @Test
    void both_engines_share_their_settings() {
        assertThat(run(Connecting::main, REDIS.url())).containsExactly("enqueued");
        assertThat(keys())
                .allMatch(key -> key.startsWith("shop:"))
                .anyMatch(key -> key.startsWith("shop:sw:"))
                .anyMatch(key -> key.startsWith("shop:q:"));
        probe.flushAll();
    }

    @Test
    void without_redis_a_local_share_decides() {
        assertThat(run(WithoutRedis::main)).containsExactly("DEGRADED, LOCAL_SHARE, 1 left");
    }

    @Test
    void an_asynchronous_request_is_decided() {
        assertThat(run(WithoutWaiting::main, REDIS.url())).containsExactly("search");
    }

    @Test
    void in_memory_a_test_advances_the_clock() {
        assertThat(run(InMemory::main)).containsExactly("true", "false", "true");
    }

    @Test
    void a_banned_user_is_denied_until_the_ban_is_lifted() throws Exception {
        assertThat(run(BannedUsers::main, REDIS.url()))
                .containsExactly("allowed: false", "banned by ada: card testing", "allowed: true");
    }

    @Test
    void a_rule_bans_an_address_that_it_keeps_denying() throws Exception {
        List<String> expected = List.of("banned by per-ip at request 120", "allowed: true");
        // A request that the fallback decides on a very busy machine is not counted.
        List<String> lines = run(BannedAddresses::main, REDIS.url());
        for (int tries = 1; !lines.equals(expected) && tries < TRIES; tries++) {
            lines = run(BannedAddresses::main, REDIS.url());
        }
        assertThat(lines).isEqualTo(expected);
    }

    @Test
    void the_metrics_of_both_engines_are_printed() {
        assertThat(run(MeasuredEngines::main, REDIS.url()))
                .anyMatch(
                        line -> line.matches("headgate_requests_total\\{.*outcome=\"allowed\",policy=\"logins\"} 1.0"))
                .contains("headgate_jobs_enqueued_total{kind=\"queue\",queue=\"mails\",result=\"added\"} 1.0");
        probe.flushAll();
    }

    @Test
    void policies_are_read_from_the_file() {
        assertThat(run(PoliciesFromFile::main, "policies.yaml"))
                .singleElement()
                .asString()
                .startsWith("allowed at ")
                .contains("per-user allowed, limit 5, remaining 4");
    }

    @Test
    void policies_that_change_are_read_from_the_file() {
        assertThat(run(ReloadedPolicies::main, "policies.yaml"))
                .singleElement()
                .asString()
                .startsWith("allowed at ");
    }

    private interface Program {
        void run(String[] arguments) throws Exception;
    }

    private List<String> run(Program main, String... arguments) {
        for (int tries = 1; ; tries++) {
            probe.flushAll();
            String output = output(main, arguments);
            if (!output.contains("no answer within") || tries == TRIES) {
                return output.lines().toList();
            }
        }
    }

    private static String output(Program main, String... arguments) {
        PrintStream original = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            main.run(arguments);
        } catch (LimiterException e) {
            System.out.println(e.getMessage());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        } finally {
            System.setOut(original);
        }
        return printed.toString(StandardCharsets.UTF_8);
    }

    private List<String> keys() {
        List<?> keys = (List<?>) Objects.requireNonNull(probe.command("KEYS", "*"));
        return keys.stream().map(String::valueOf).toList();
    }
}
