package io.headgate.redis.streams;

import io.headgate.queues.AsyncDeadLetters;
import io.headgate.queues.AsyncQueue;
import io.headgate.queues.Codec;
import io.headgate.queues.GroupSettings;
import io.headgate.queues.QueueListener;
import io.headgate.queues.internal.JobSource;
import io.headgate.queues.internal.QueueEvents;
import io.headgate.queues.internal.Utf8;
import io.headgate.redis.internal.Packed;
import io.headgate.redis.internal.PlainCall;
import io.headgate.redis.internal.Script;
import io.headgate.redis.internal.ScriptCall;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/** Turns what is asked of a group into script calls; does no I/O. */
final class GroupPlanner {

    /** How many bytes of payloads are surely not too much for one step of a script. */
    private static final int STEP_BYTES = 4 << 20;

    private final GroupSettings settings;
    private final RetryQueues queues;
    private final QueueEvents events;
    private final StreamScripts scripts;
    private final StreamKeys keys;
    private final byte[] group;
    private final Consumer consumer;
    private final byte[] consumerName;
    private final String[] queueKeys;
    private final int maxPayloadBytes;
    private final int atOnce;

    GroupPlanner(RedisAsyncEventStream<?> stream, GroupSettings settings) {
        this.settings = settings;
        this.queues = stream.queues();
        this.events =
                queues.events(new QueueListener.Source.OfGroup(stream.settings().name(), settings.name()));
        this.scripts = stream.scripts();
        this.keys = stream.keys();
        this.group = ascii(settings.name());
        this.consumer = stream.consumer();
        this.consumerName = ascii(consumer.name());
        this.queueKeys = queues.keys(keys.queue(settings.name()));
        this.maxPayloadBytes = stream.settings().maxPayloadBytes();
        this.atOnce = STEP_BYTES / Math.max(maxPayloadBytes, 8 << 10);
    }

    /** How large a payload may be, as far as those who produce go by it. */
    int maxPayloadBytes() {
        return maxPayloadBytes;
    }

    GroupSettings settings() {
        return settings;
    }

    /** Says what comes of leases, as scripts take it. */
    RetryQueues verbs() {
        return queues;
    }

    /** What tells listeners of the group. */
    QueueEvents events() {
        return events;
    }

    /** Where the group keeps what is to be tried again, and its dead letters. */
    RetryQueue retries() {
        return queues.queue(keys.queue(settings.name()), settings, events);
    }

    /** What is tried again, as the group's queue has it. */
    <T> AsyncQueue<T> retries(Codec<T> codec) {
        return queues.queue(keys.queue(settings.name()), settings, codec, events);
    }

    /** What the group gave up, as its queue has it. */
    <T> AsyncDeadLetters<T> deadLetters(Codec<T> codec) {
        return queues.deadLetters(keys.queue(settings.name()), settings, codec, events);
    }

    /** Calls back at each signal that there are new entries, until that is closed. */
    JobSource.Subscription subscribe(Runnable onSignal) {
        return queues.subscribe(keys.stream(), onSignal);
    }

    /** Settles what is to be, and hands out entries; a group that is missing begins after {@code start}. */
    ScriptCall<GroupClaim> claim(int most, Duration lease, String start, List<EntrySettlement> said) {
        return claim(most, lease, start, said, keys.claim(settings.name()));
    }

    /** The same, with new entries left to the command behind. */
    ScriptCall<GroupClaim> claim(int most, Duration lease, String start, List<EntrySettlement> said, String open) {
        return claim(most, lease, start, said, keys.claim(settings.name(), open));
    }

    private ScriptCall<GroupClaim> claim(
            int most, Duration lease, String start, List<EntrySettlement> said, String[] more) {
        List<byte[]> arguments = new ArrayList<>(List.of(group, consumerName));
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
            arguments.addAll(settlements.arguments());
        }
        return call(
                scripts.claim, withQueue(more), arguments, reply -> GroupClaim.of(reply, millis(lease), settlements));
    }

    /** The batches that are read behind claims. */
    Batches batches() {
        return new Batches(consumer, settings.minIdle());
    }

    /** What lets the command behind one claim read, and no other. */
    String opening() {
        return keys.open(settings.name(), consumer.nextName());
    }

    /** Reads new entries behind a claim that has opened the stream to it, by the name of the batch if there is one. */
    PlainCall<byte[]> readBehind(int most, String open, Optional<Batch> batch) {
        return new PlainCall<>(
                new String[] {
                    "XREADGROUP",
                    "GROUP",
                    settings.name(),
                    batch.map(Batch::name).orElse(consumer.name()),
                    "COUNT",
                    Integer.toString(most),
                    "STREAMS",
                    keys.stream(),
                    open,
                    ">",
                    ">"
                },
                new String[] {"DEL", open},
                reply -> reply);
    }

    /** Says what came of entries in hand. */
    ScriptCall<EntriesSettled> settle(List<EntrySettlement> said) {
        List<byte[]> arguments = new ArrayList<>(List.of(group, consumerName));
        EntrySettlements settlements = EntrySettlements.of(said);
        arguments.addAll(settlements.arguments());
        boolean acks = settlements.areAcks();
        return call(
                acks ? scripts.ack : scripts.settle,
                acks ? keys.ack(settings.name()) : withQueue(keys.settle(settings.name())),
                arguments,
                reply -> new EntriesSettled(Packed.number(reply, 0, 7), settlements.settled(reply, 7)));
    }

    /** Creates the group where its settings say, if there is none. */
    ScriptCall<Boolean> declare() {
        byte[] start = ascii(new GroupPosition(settings.start()).text());
        return call(scripts.declareGroup, keys.ack(settings.name()), List.of(group, start), reply -> reply[0] != 0);
    }

    /** Ends the group. */
    ScriptCall<Boolean> remove() {
        return call(
                scripts.removeGroup, withQueue(keys.settle(settings.name())), List.of(group), reply -> reply[0] != 0);
    }

    /** Keeps the keys of what is done, for as long as the group does. */
    ScriptCall<Boolean> keepDone(List<String> doneKeys) {
        return ofKeys(scripts.done, doneKeys, reply -> true);
    }

    /** Of which keys something is done. */
    ScriptCall<BitSet> areDone(List<String> entryKeys) {
        return ofKeys(scripts.areDone, entryKeys, reply -> {
            BitSet done = new BitSet();
            for (int i = 0; i < reply.length; i++) {
                done.set(i, reply[i] != 0);
            }
            return done;
        });
    }

    private <R> ScriptCall<R> ofKeys(Script script, List<String> entryKeys, ScriptCall.Decoder<R> decoder) {
        List<byte[]> arguments = new ArrayList<>();
        arguments.add(new Packed().number(settings.keepDone().toMillis(), 6).bytes());
        entryKeys.forEach(key -> arguments.add(Utf8.of(key)));
        return call(script, new String[] {keys.done(settings.name())}, arguments, decoder);
    }

    /** That an entry is done: if it has a key, and the group keeps such, with that. */
    EntrySettlement ack(ClaimedEntry entry) {
        return keepsDone()
                ? entry.key()
                        .map(key ->
                                EntrySettlement.ack(entry, settings.keepDone().toMillis(), Utf8.of(key)))
                        .orElseGet(() -> EntrySettlement.ack(entry))
                : EntrySettlement.ack(entry);
    }

    boolean keepsDone() {
        return !settings.keepDone().isZero();
    }

    /** That a lease ends so long from now: its entry counts as idle for the rest of the minimum idle time. */
    byte[] extend(Duration lease) {
        return EntrySettlement.extend(millis(settings.minIdle()) - millis(lease));
    }

    /** Rounded up, so that no lease ends early. */
    static long millis(Duration lease) {
        return lease.plusNanos(999_999).toMillis();
    }

    private static <R> ScriptCall<R> call(
            Script script, String[] keys, List<byte[]> arguments, ScriptCall.Decoder<R> decoder) {
        return new ScriptCall<>(script, keys, arguments.toArray(byte[][]::new), decoder);
    }

    private String[] withQueue(String[] more) {
        String[] all = Arrays.copyOf(queueKeys, queueKeys.length + more.length);
        System.arraycopy(more, 0, all, queueKeys.length, more.length);
        return all;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
