package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limits.Attributes;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.LimiterException;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.limits.bans.BanRequest;
import io.headgate.limits.bans.BanTarget;
import io.headgate.limits.hotkeys.HotKeys;
import io.headgate.queues.Codec;
import io.headgate.queues.Durability;
import io.headgate.queues.JobQueue;
import io.headgate.queues.KeepDone;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.streams.ConsumerGroup;
import io.headgate.queues.streams.EventStream;
import io.headgate.queues.worker.Worker;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.config.ConfigDraft;
import io.headgate.redis.config.ConfigShadow;
import io.headgate.redis.config.ConfigVersion;
import io.headgate.redis.config.InstanceReport;
import io.headgate.redis.config.RedisConfigStore;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.conditions.ServerVersionSensitive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The ACL rights that docs/connecting.md lists for a part with scripts are exactly the commands of these scripts, besides those of every
 * connection. Limits, holds, queues and streams work with them.
 */
@Timeout(120)
@ServerVersionSensitive
class AccessRightsIT {

    private static final Path GUIDE = Path.of("../docs/connecting.md");
    private static final Path SCRIPTS = Path.of("src/main/resources/io/headgate/redis");
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** Rights that are used outside of scripts. */
    private static final Set<String> OUTSIDE_SCRIPTS = Set.of("subscribe");

    private final RedisServer redis = RedisServer.startOwn();
    private final RedisProbe probe = RedisProbe.of(redis.url());

    @AfterEach
    void stop() {
        probe.close();
        redis.close();
    }

    @ParameterizedTest
    @CsvSource({
        "limits, limits, (?!hot_|instances|probe).*, limits",
        "fallbacks, limits, instances.*|probe.*, fallbacks",
        "hot keys, limits, hot_.*, hot keys",
        "in-flight, inflight, .*, in-flight limits",
        "pauses, pauses, .*, pauses",
        "bans, bans, .*, bans",
        "audit, audit, .*, audit log",
        "policies, config, .*, policies in Redis",
        "queues, queues, .*, queues"
    })
    void the_rights_of_a_part_are_the_commands_of_its_scripts(String part, String folder, String files, String row)
            throws IOException {
        Set<String> called = commandsIn(folder, files);
        called.removeAll(rightsOf("every connection"));
        assertThat(without(rightsOf(row), OUTSIDE_SCRIPTS)).as(part).isEqualTo(called);
    }

    @Test
    void the_rights_of_streams_are_the_commands_of_their_scripts_that_queues_do_not_use() throws IOException {
        Set<String> called = commandsIn("streams", ".*");
        called.removeAll(rightsOf("every connection"));
        called.removeAll(rightsOf("queues"));
        assertThat(rightsOf("streams, beside")).isEqualTo(called);
    }

    @Test
    void the_acl_command_of_the_guide_has_the_rights_of_all_parts() throws IOException {
        Set<String> all = new TreeSet<>();
        for (String row : List.of(
                "every connection",
                "limits",
                "hot keys",
                "invalidations",
                "pauses",
                "bans",
                "audit log",
                "policies in Redis",
                "fallbacks",
                "in-flight",
                "queues",
                "durability",
                "streams")) {
            all.addAll(rightsOf(row));
        }
        assertThat(rightsIn(aclCommand())).isEqualTo(all);
    }

    @Test
    void with_exactly_the_rights_of_the_guide_limits_holds_queues_and_streams_work() throws Exception {
        String url = withUser(aclCommand());
        useLimits(url);
        useHolds(url);
        useQueues(url);
        useStreams(url);
        useConfig(url);
        assertThat(denied()).isEmpty();
    }

    @Test
    void the_rights_of_one_part_are_enough_for_it() throws Exception {
        useLimits(withUser(rightsText("every connection", "limits", "hot keys", "invalidations", "pauses", "bans")));
        useHolds(withUser(rightsText("every connection", "in-flight")));
        useQueues(withUser(rightsText("every connection", "queues", "durability")));
        useStreams(withUser(rightsText("every connection", "queues", "streams")));
        useConfig(withUser(rightsText("every connection", "policies in Redis")));
        assertThat(denied()).isEmpty();
    }

    @Test
    void without_the_right_to_time_a_call_fails_and_redis_logs_it() throws Exception {
        String url = withUser(aclCommand().replace(" +time", ""));
        try (RedisLimitEngine limits = Engines.builder(url).build()) {
            Limiter limiter = limits.limiter("logins", Limit.slidingWindow(5, MINUTE));
            assertThatThrownBy(() -> limiter.tryAcquire("alice")).isInstanceOf(LimiterException.class);
        }
        assertThat(denied()).isNotEmpty();
    }

    private static void useLimits(String url) throws Exception {
        try (RedisLimitEngine limits =
                Engines.builder(url).hotKeys(HotKeys.create()).bans(true).build()) {
            limits.ping().toCompletableFuture().get();
            List<Limit> kinds = List.of(
                    Limit.fixedWindow(50, Duration.ofDays(1)),
                    Limit.slidingWindow(50, MINUTE),
                    Limit.slidingCounter(50, MINUTE),
                    Limit.tokenBucket(50, 1, MINUTE),
                    Limit.leakyBucket(50, 1, MINUTE),
                    Limit.calendarWindow(50, CalendarWindow.Unit.DAY, ZoneOffset.UTC));
            for (int i = 0; i < kinds.size(); i++) {
                useLimit(limits.limiter("kind" + i, kinds.get(i)));
            }
            Policy several = Policy.named("several")
                    .rule("first", kinds.get(0), Attributes.KEY)
                    .rule("second", kinds.get(1), Attributes.KEY)
                    .pausable()
                    .build();
            Attributes alice = Attributes.of(Attributes.KEY, "alice");
            assertThat(limits.limiter(several)
                            .tryAcquire(PermitRequest.of(alice).withPermits(2))
                            .allowed())
                    .isTrue();
            assertThat(limits.limiter(several).resetRule("first", alice)).isTrue();
            assertThat(limits.limiter(several).pause("alice", MINUTE)).isEqualTo(MINUTE);
            assertThat(limits.limiter(several).resume("alice")).isTrue();
            BanTarget mallory = BanTarget.of(Attributes.KEY, "mallory");
            limits.bans().add(BanRequest.ban(mallory).lasting(MINUTE));
            assertThat(limits.bans().lift(mallory)).isPresent();
            limits.writeHotKeys().toCompletableFuture().get();
            assertThat(limits.hotKeys().top().toCompletableFuture().get()).isNotEmpty();
        }
    }

    private static void useLimit(Limiter limiter) {
        for (int i = 0; i < 20; i++) {
            assertThat(limiter.tryAcquire(PermitRequest.of("alice").withPermits(2))
                            .allowed())
                    .isTrue();
        }
        assertThat(limiter.tryAcquire(PermitRequest.of("alice").withPermits(50)).denied())
                .isTrue();
        assertThat(limiter.tryAcquire(PermitRequest.of("alice").withId(RequestId.of("once")))
                        .allowed())
                .isTrue();
        assertThat(limiter.peek("alice").remaining()).isLessThan(50);
        assertThat(limiter.reset("alice")).isTrue();
    }

    private static void useConfig(String url) {
        try (RedisConfigStore store = RedisConfigStore.connect(RedisSettings.of(url), "rights")) {
            Set<String> seen = ConcurrentHashMap.newKeySet();
            store.watch(() -> store.current().ifPresent(version -> seen.add(version.id())));
            ConfigDraft draft = new ConfigDraft(Map.of("a", "b"), "test", "test");
            String id = store.write(draft, store.current().map(ConfigVersion::id))
                    .current()
                    .orElseThrow()
                    .id();
            store.report(new InstanceReport("a:1", id, Instant.EPOCH, Optional.empty(), Optional.of("preview")));
            Await.until(
                    "change and report",
                    LONG,
                    () -> seen.contains(id)
                            && store.previews().stream()
                                    .anyMatch(report -> report.preview().isPresent()));
            ConfigShadow shadow = store.shadow();
            String tried = shadow.write(draft, shadow.currentId())
                    .current()
                    .orElseThrow()
                    .id();
            assertThat(shadow.remove(tried)).isTrue();
            assertThat(store.history(1)).hasSize(1);
            assertThat(store.find(id)).isPresent();
        }
    }

    private void useHolds(String url) throws Exception {
        try (RedisLimitEngine limits = Engines.builder(url).build();
                RedisLimitEngine others = Engines.builder(url).build()) {
            InFlightLimiter exports = limits.inFlight("exports", 1);
            var hold = exports.tryAcquire("alice");
            var waiting = others.inFlight("exports", 1)
                    .async()
                    .acquire("alice", MINUTE)
                    .toCompletableFuture();
            Await.until("a subscription", MINUTE, () -> String.valueOf(probe.command("PUBSUB", "CHANNELS"))
                    .contains("hg:if:{exports}"));
            assertThat(hold.release()).isTrue();
            assertThat(waiting.get().allowed()).isTrue();
            assertThat(exports.reset("alice")).isTrue();
        }
    }

    private static void useQueues(String url) {
        try (RedisQueueEngine queues =
                RedisQueueEngine.connect(RedisSettings.of(url).withTimeout(LONG))) {
            JobQueue<String> queue =
                    queues.queue(QueueSettings.of("orders").withKeepDone(KeepDone.newest(10)), Codec.text());
            for (int i = 0; i < 8; i++) {
                queue.enqueue("" + i);
            }
            queue.enqueue(NewJob.of("keyed").once("key"));
            queue.enqueueAll(List.of(
                    NewJob.of("delayed").tenant("acme").after(MINUTE),
                    NewJob.of("later").tenant("globex")));
            var later = queue.enqueue("later", MINUTE).id();
            assertThat(queue.find(later)).isPresent();
            assertThat(queue.reschedule(later, MINUTE.multipliedBy(2))).isTrue();
            List<Lease<String>> leases = queue.claim(6, MINUTE);
            assertThat(leases).hasSize(6);
            leases.get(0).ack();
            leases.get(1).handBack();
            leases.get(2).retry(MINUTE, "odd");
            leases.get(3).deadLetter("bad");
            leases.get(4).deadLetter("bad");
            leases.get(5).extend(MINUTE);
            for (JobState.Kind kind : JobState.Kind.values()) {
                assertThat(queue.jobs(kind, 10).items()).isNotNull();
            }
            assertThat(queue.deadLetters().list(10).items()).hasSize(2);
            assertThat(queue.deadLetters().redrive(leases.get(3).id())).isTrue();
            assertThat(queue.deadLetters().discardOldest(5)).isEqualTo(1);
            assertThat(queue.cancel(later)).isTrue();
            queue.pause();
            queue.resume();
            assertThat(queue.audit()).isNotNull();
            assertThat(queue.repair()).isNotNull();
            workOn(queue, "worked");
            assertThat(queue.purge(JobState.Kind.READY, 100)).isNotNegative();
            assertThat(queues.names()).contains("orders");
            JobQueue<String> safe = queues.queue(
                    QueueSettings.of("safe").withDurability(Durability.replicas(1, Duration.ofMillis(10))),
                    Codec.text());
            // Redis permitted the command, but has no replica.
            assertThatThrownBy(() -> safe.enqueue("one"))
                    .isInstanceOf(QueueException.class)
                    .hasMessageContaining("only 0 of 1 replicas confirmed");
        }
    }

    private static void workOn(JobQueue<String> queue, String last) {
        Set<String> done = ConcurrentHashMap.newKeySet();
        try (Worker worker = Worker.of(queue).start(job -> done.add(job.payload()))) {
            assertThat(worker).isNotNull();
            queue.enqueue(last);
            Await.until("the job to be done", LONG, () -> done.contains(last));
        }
    }

    private static void useStreams(String url) {
        try (RedisQueueEngine queues =
                RedisQueueEngine.connect(RedisSettings.of(url).withTimeout(LONG))) {
            EventStream<String> stream = queues.stream("events", Codec.text());
            ConsumerGroup<String> group = stream.group("billing");
            Set<String> done = ConcurrentHashMap.newKeySet();
            stream.produce("zero");
            for (int i = 0; i < 5; i++) {
                stream.produce("" + i);
            }
            List<Lease<String>> leases = group.claim(4);
            assertThat(leases).isNotEmpty();
            leases.get(0).deadLetter("bad");
            group.ackAll(leases.subList(1, leases.size()));
            try (Worker worker = Worker.of(group).start(job -> done.add(job.payload()))) {
                assertThat(worker).isNotNull();
                stream.produce("last");
                Await.until("the entry to be handled", LONG, () -> done.contains("last"));
            }
            group.pause();
            group.resume();
            assertThat(group.deadLetters().discardOldest(5)).isEqualTo(1);
            assertThat(group.retryCounts()).isNotNull();
            assertThat(stream.state().groups()).hasSize(1);
            assertThat(queues.streamNames()).contains("events");
            assertThat(stream.declareGroup("billing")).isFalse();
            assertThat(stream.declareGroup("search")).isTrue();
            assertThat(stream.removeGroup("billing")).isTrue();
        }
    }

    /**
     * The denied commands. Lettuce sends subcommands of CLIENT that Redis 6.2 does not have, and continues without them. Redis 6.2
     * checks the right first and logs just "client", so these entries are ignored.
     */
    private List<?> denied() {
        return probe.command("ACL", "LOG") instanceof List<?> log
                ? log.stream()
                        .filter(entry -> !(entry instanceof List<?> fields
                                && fields.get(fields.indexOf("object") + 1).equals("client")))
                        .toList()
                : List.of("no log");
    }

    /** Gives the user those of the rights that this Redis knows and no others, and returns a URL with this user. */
    private String withUser(String rights) {
        List<String> command = new ArrayList<>(List.of("ACL", "SETUSER", "headgate", "reset", "on", ">password"));
        Arrays.stream(rights.split(" "))
                .filter(word -> word.equals("resetchannels") || word.matches("[~&+-].*"))
                .filter(word -> !word.startsWith("+") || isKnown(word.substring(1)))
                .forEach(command::add);
        probe.command(command.toArray(String[]::new));
        return redis.url().replace("redis://", "redis://headgate:password@");
    }

    /** Redis 6.2 accepts any subcommand in a right, Redis 7 those that it has. */
    private boolean isKnown(String command) {
        try {
            return "OK".equals(probe.command("ACL", "SETUSER", "unused", "+" + command));
        } catch (RedisProbe.ErrorReply e) {
            return false;
        }
    }

    private boolean isCommand(String name) {
        return probe.command("COMMAND", "INFO", name) instanceof List<?> list && list.get(0) != null;
    }

    private Set<String> commandsIn(String folder, String files) throws IOException {
        Pattern quoted = Pattern.compile("'([A-Z]{3,})'");
        Set<String> commands = new TreeSet<>();
        try (Stream<Path> all = Files.list(SCRIPTS.resolve(folder))) {
            for (Path file : all.filter(path -> path.getFileName().toString().matches(files + "\\.lua"))
                    .toList()) {
                Files.readAllLines(file).stream()
                        .filter(line -> !line.strip().startsWith("--"))
                        .flatMap(line -> quoted.matcher(line).results())
                        .map(found -> found.group(1).toLowerCase(Locale.ROOT))
                        .forEach(commands::add);
            }
        }
        commands.removeIf(word -> !isCommand(word));
        return commands;
    }

    private static String aclCommand() throws IOException {
        return Files.readString(GUIDE)
                .lines()
                .filter(text -> text.contains("ACL SETUSER headgate"))
                .findFirst()
                .orElseThrow()
                .strip();
    }

    private static Set<String> rightsOf(String row) throws IOException {
        return rightsIn(rightsText(row));
    }

    /** The second column of the rows of the guide that begin with these words. */
    private static String rightsText(String... rows) throws IOException {
        StringBuilder text = new StringBuilder();
        String guide = Files.readString(GUIDE);
        for (String row : rows) {
            text.append(Pattern.compile("(?m)^\\| \\[?" + Pattern.quote(row) + "[^|]*\\|(.*)\\|$")
                    .matcher(guide)
                    .results()
                    .map(found -> found.group(1))
                    .findFirst()
                    .orElseThrow()
                    .replace("\\|", "|")
                    .replace('`', ' '));
        }
        return text.toString();
    }

    private static Set<String> rightsIn(String text) {
        Set<String> rights = new TreeSet<>();
        Pattern.compile("\\+([a-z|]+)")
                .matcher(text)
                .results()
                .map(MatchResult::group)
                .forEach(right -> rights.add(right.substring(1)));
        return rights;
    }

    private static Set<String> without(Set<String> all, Set<String> some) {
        Set<String> left = new TreeSet<>(all);
        left.removeAll(some);
        return left;
    }
}
