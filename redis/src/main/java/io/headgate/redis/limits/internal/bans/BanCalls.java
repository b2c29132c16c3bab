package io.headgate.redis.limits.internal.bans;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.bans.BanRequest;
import io.headgate.limits.bans.BanTarget;
import io.headgate.limits.bans.Bans;
import io.headgate.limits.internal.Micros;
import io.headgate.limits.internal.bans.BanErrors;
import io.headgate.redis.internal.script.Packed;
import io.headgate.redis.internal.script.RedisExecutor;
import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.internal.script.ScriptFiles;
import io.headgate.redis.limits.internal.planner.Keys;
import java.lang.System.Logger.Level;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The calls to Redis about bans. A call that cannot be sent fails its future. Safe for use by any number of threads. */
final class BanCalls {

    private static final System.Logger LOG = System.getLogger(BanCalls.class.getName());

    /** The most changes in one reply. */
    static final int PAGE = 500;

    private static final ScriptFiles FILES = ScriptFiles.in("bans", "bans");
    private static final Script ADD = FILES.script("add", Map.of());
    private static final Script LIFT = FILES.script("lift", Map.of());
    private static final Script READ = FILES.script("bans", Map.of());

    /** All scripts. */
    static final List<Script> SCRIPTS = List.of(ADD, LIFT, READ);

    private static final int TIP_BYTES = 12;
    private static final byte[] UNUSED = {};

    private final RedisExecutor executor;
    private final String[] keys;
    private final byte[] channel;
    private final SecureRandom random = new SecureRandom();

    BanCalls(RedisExecutor executor, Keys keys) {
        this.executor = executor;
        this.keys = keys.bans();
        this.channel = keys.banChannel().getBytes(US_ASCII);
    }

    /** How far this process knows the changes. */
    record Position(String version, String epoch, String tip) {

        /** Before the first reply. */
        static final Position START = new Position("0", "", "");
    }

    /**
     * An entry in Redis.
     *
     * @param restMicros how long it is still in force, in microseconds; {@link Long#MAX_VALUE} if it is permanent
     */
    record Stored(BanEntry entry, long restMicros) {}

    /** The change of a target: its entry, or empty if it was lifted. */
    record Change(BanTarget target, Optional<Stored> stored) {}

    /** Changes after a position, oldest first. */
    record Page(Position position, boolean hasMore, List<Change> changes) {}

    /** What an instance receives: changes, none, or that it must read all entries again. */
    record Read(Optional<Page> page, boolean mustReread) {}

    /** The result of an addition: the entry, or the error. */
    record Added(Optional<Stored> stored, Optional<IllegalArgumentException> problem) {}

    CompletableFuture<Added> add(BanRequest request) {
        BanTarget target = request.target();
        return send(
                ADD,
                reply -> added(request, reply),
                ascii(BanText.of(target)),
                ascii(BanText.of(request.kind())),
                Packed.text(request.duration().map(Micros::of).orElse(0L)),
                ascii(BanText.of(request.reason(), request.by())),
                ascii(BanErrors.isBlock(target) ? "1" : "0"),
                Packed.text(Bans.MAX_ENTRIES),
                Packed.text(Bans.MAX_BLOCKS),
                newTip(),
                channel);
    }

    private static Added added(BanRequest request, String reply) {
        String[] words = reply.split(" ");
        IllegalArgumentException problem =
                switch (words[0]) {
                    case "full" -> BanErrors.full(request.target());
                    case "kind" -> BanErrors.conflict(request, BanText.kind(words[1]));
                    default -> null;
                };
        if (problem != null) {
            return new Added(Optional.empty(), Optional.of(problem));
        }
        String texts = BanText.of(request.reason(), request.by());
        String entry = BanText.of(request.kind()) + " 0 " + words[1] + " " + words[2] + " " + texts;
        return new Added(stored(request.target(), entry, Long.parseLong(words[3])), Optional.empty());
    }

    /** Removes the entry of a target. Completes with it; empty if there was none in force. */
    CompletableFuture<Optional<Stored>> lift(BanTarget target) {
        return send(
                LIFT,
                reply -> {
                    int blank = reply.indexOf(' ');
                    return blank < 0
                            ? Optional.empty()
                            : stored(target, reply.substring(blank + 1), Long.parseLong(reply.substring(0, blank)));
                },
                ascii(BanText.of(target)),
                UNUSED,
                UNUSED,
                UNUSED,
                UNUSED,
                UNUSED,
                UNUSED,
                newTip(),
                channel);
    }

    /** Reads the changes after a position. */
    CompletableFuture<Read> read(Position from) {
        return send(
                READ,
                BanCalls::received,
                ascii(from.version()),
                ascii(from.epoch()),
                ascii(from.tip()),
                Packed.text(PAGE));
    }

    private static Read received(String reply) {
        if (reply.isEmpty() || reply.equals("reread")) {
            return new Read(Optional.empty(), !reply.isEmpty());
        }
        String[] lines = reply.split("\n");
        String[] head = lines[0].split(" ");
        long nowMicros = Long.parseLong(head[4]);
        List<Change> changes = new ArrayList<>();
        for (int i = 1; i < lines.length; i++) {
            try {
                changes.add(change(lines[i], nowMicros));
            } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
                // The others are in force nevertheless.
                LOG.log(Level.WARNING, "a ban can't be read; a newer version may have written it", e);
            }
        }
        return new Read(
                Optional.of(new Page(new Position(head[0], head[1], head[2]), head[3].equals("1"), changes)), false);
    }

    private static Change change(String line, long nowMicros) {
        String[] words = line.split(" ", 4);
        BanTarget target = BanText.target(words[0], words[1], words[2]);
        return new Change(target, words.length == 3 ? Optional.empty() : stored(target, words[3], nowMicros));
    }

    /** Parses an entry; empty if it has ended. */
    private static Optional<Stored> stored(BanTarget target, String text, long nowMicros) {
        String[] words = text.split(" ");
        long endMicros = Long.parseLong(words[3]);
        if (endMicros > 0 && endMicros <= nowMicros) {
            return Optional.empty();
        }
        Optional<Instant> until = endMicros == 0 ? Optional.empty() : Optional.of(Micros.toInstant(endMicros));
        BanEntry entry = new BanEntry(
                target,
                BanText.kind(words[0]),
                Micros.toInstant(Long.parseLong(words[2])),
                until,
                BanText.line(words[4]),
                BanText.line(words[5]));
        return Optional.of(new Stored(entry, endMicros == 0 ? Long.MAX_VALUE : endMicros - nowMicros));
    }

    private byte[] newTip() {
        byte[] bytes = new byte[TIP_BYTES];
        random.nextBytes(bytes);
        return ascii(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
    }

    private <T> CompletableFuture<T> send(Script script, Function<String, T> decoder, byte[]... arguments) {
        try {
            return executor.execute(
                    new ScriptCall<>(script, keys, arguments, reply -> decoder.apply(new String(reply, US_ASCII))));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(US_ASCII);
    }
}
