package io.headgate.redis.streams;

import io.headgate.queues.AsyncDeadLetters;
import io.headgate.queues.Codec;
import io.headgate.queues.GroupSettings;
import io.headgate.queues.internal.WorkSource;
import io.headgate.redis.internal.Packed;
import io.headgate.redis.internal.Script;
import io.headgate.redis.internal.ScriptCall;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Turns what is asked of a group into script calls; does no I/O. */
final class GroupPlanner {

    /** How many bytes of payloads are surely not too much for one step of a script. */
    private static final int STEP_BYTES = 4 << 20;

    private final GroupSettings settings;
    private final RetryQueues queues;
    private final StreamScripts scripts;
    private final StreamKeys keys;
    private final byte[] group;
    private final byte[] consumer;
    private final int atOnce;

    GroupPlanner(RedisAsyncEventStream<?> stream, GroupSettings settings) {
        this.settings = settings;
        this.queues = stream.queues();
        this.scripts = stream.scripts();
        this.keys = stream.keys();
        this.group = ascii(settings.name());
        this.consumer = ascii(stream.consumer());
        this.atOnce = STEP_BYTES / Math.max(stream.settings().maxPayloadBytes(), 8 << 10);
    }

    GroupSettings settings() {
        return settings;
    }

    /** Says what comes of leases, as scripts take it. */
    RetryQueues verbs() {
        return queues;
    }

    /** Where the group keeps what is to be tried again, and its dead letters. */
    RetryQueue retries() {
        return queues.queue(keys.queue(settings.name()), settings.name(), settings.maxCrashes());
    }

    /** What the group gave up, as its queue has it. */
    <T> AsyncDeadLetters<T> deadLetters(Codec<T> codec) {
        return queues.deadLetters(keys.queue(settings.name()), settings.name(), codec);
    }

    /** Calls back at each signal that there are new entries, until that is closed. */
    WorkSource.Listening listen(Runnable onSignal) {
        return queues.listen(keys.stream(), onSignal);
    }

    /** Settles what is to be, and hands out entries; a group that is missing begins after {@code start}. */
    ScriptCall<GroupClaim> claim(int most, Duration lease, String start, List<EntrySettlement> said) {
        List<byte[]> arguments = new ArrayList<>(List.of(group, consumer));
        arguments.add(new Packed()
                .number(most, 2)
                .number(millis(lease), 6)
                .number(millis(settings.minIdle()), 6)
                .number(settings.maxCrashes(), 1)
                .number(atOnce, 2)
                .bytes());
        arguments.add(ascii(start));
        EntrySettlements settlements = EntrySettlements.of(said);
        if (!said.isEmpty()) {
            settlements.arguments().forEach(arguments::add);
        }
        return call(
                scripts.claim,
                List.of(keys.stream(), keys.awaited(), keys.scan(settings.name())),
                arguments,
                reply -> GroupClaim.of(reply, millis(lease), settlements));
    }

    /** Says what came of entries in hand. */
    ScriptCall<EntriesSettled> settle(List<EntrySettlement> said) {
        List<byte[]> arguments = new ArrayList<>(List.of(group, consumer));
        EntrySettlements settlements = EntrySettlements.of(said);
        settlements.arguments().forEach(arguments::add);
        return call(
                scripts.settle,
                List.of(keys.stream()),
                arguments,
                reply -> new EntriesSettled(Packed.number(reply, 0, 7), settlements.settled(reply, 7)));
    }

    /** That a lease ends so long from now: its entry counts as idle for the rest of the minimum idle time. */
    byte[] extend(Duration lease) {
        return new Packed()
                .number(5, 1)
                .number(millis(settings.minIdle()) - millis(lease), 6)
                .bytes();
    }

    /** Rounded up, so that no lease ends early. */
    static long millis(Duration lease) {
        return lease.plusNanos(999_999).toMillis();
    }

    private <R> ScriptCall<R> call(
            Script script, List<String> more, List<byte[]> arguments, ScriptCall.Decoder<R> decoder) {
        String[] ofQueue = queues.keys(keys.queue(settings.name()));
        String[] all = Arrays.copyOf(ofQueue, ofQueue.length + more.size());
        for (int i = 0; i < more.size(); i++) {
            all[ofQueue.length + i] = more.get(i);
        }
        return new ScriptCall<>(script, all, arguments.toArray(byte[][]::new), decoder);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
