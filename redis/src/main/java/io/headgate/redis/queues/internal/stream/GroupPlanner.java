package io.headgate.redis.queues.internal.stream;

import io.headgate.queues.internal.Utf8;
import io.headgate.queues.streams.GroupSettings;
import io.headgate.redis.internal.script.Packed;
import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.internal.script.TrailingCommand;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/** Makes the script calls of one group; does no I/O. */
final class GroupPlanner {

    /** The maximum payload bytes that a script reads per iteration; with payloads of up to 8 KiB, it reads up to 512 entries. */
    private static final int MAX_READ_BYTES = 4 << 20;

    private final GroupSettings settings;
    private final RetryQueues retryQueues;
    private final StreamScripts scripts;
    private final StreamKeys keys;
    private final byte[] group;
    private final Consumer consumer;
    private final byte[] consumerName;
    private final String[] queueKeys;
    private final int maxPayloadBytes;
    private final int entriesPerRead;

    GroupPlanner(
            GroupSettings settings,
            StreamKeys keys,
            StreamScripts scripts,
            Consumer consumer,
            RetryQueues retryQueues,
            int maxPayloadBytes) {
        this.settings = settings;
        this.retryQueues = retryQueues;
        this.scripts = scripts;
        this.keys = keys;
        this.group = ascii(settings.name());
        this.consumer = consumer;
        this.consumerName = ascii(consumer.name());
        this.queueKeys = retryQueues.keys(keys.queue(settings.name()));
        this.maxPayloadBytes = maxPayloadBytes;
        this.entriesPerRead = MAX_READ_BYTES / Math.max(maxPayloadBytes, 8 << 10);
    }

    /** The maximum size of a payload in bytes, provided that every producer has the same stream settings. */
    int maxPayloadBytes() {
        return maxPayloadBytes;
    }

    GroupSettings settings() {
        return settings;
    }

    /** Returns the retry queues, which encode the settlement actions for the scripts. */
    RetryQueues retryQueues() {
        return retryQueues;
    }

    /** The header key of the retry queue. */
    String queueHeader() {
        return keys.queue(settings.name());
    }

    /** The channel that signals new entries. */
    String channel() {
        return keys.stream();
    }

    /** Processes settlements, then claims entries. If the group does not exist, it is created after the entry {@code start}. */
    ScriptCall<GroupClaim> claim(int max, Duration lease, String start, List<EntrySettlement> given) {
        return claim(max, lease, start, given, keys.claim(settings.name()));
    }

    /** Processes settlements, then claims entries, but leaves new entries to the trailing command. */
    ScriptCall<GroupClaim> claim(
            int max, Duration lease, String start, List<EntrySettlement> given, String trailingReadKey) {
        return claim(max, lease, start, given, keys.claim(settings.name(), trailingReadKey));
    }

    private ScriptCall<GroupClaim> claim(
            int max, Duration lease, String start, List<EntrySettlement> given, String[] more) {
        List<byte[]> arguments = new ArrayList<>(List.of(group, consumerName));
        arguments.add(new Packed()
                .number(max, 2)
                .number(millis(lease), 6)
                .number(millis(settings.minIdle()), 6)
                .number(settings.maxCrashes(), 1)
                .number(entriesPerRead, 2)
                .bytes());
        arguments.add(ascii(start));
        EntrySettlements settlements = EntrySettlements.of(given);
        if (!given.isEmpty()) {
            arguments.addAll(settlements.arguments());
        }
        return call(
                scripts.claim, withQueue(more), arguments, reply -> GroupClaim.of(reply, millis(lease), settlements));
    }

    /** Creates the batches whose entries trailing commands read. */
    Batch.Factory batches() {
        return new Batch.Factory(consumer, settings.minIdle());
    }

    /**
     * Returns a Redis key that only one claim uses. The script creates the key if the trailing {@code XREADGROUP} may read new entries.
     */
    String trailingReadKey() {
        return keys.trailingRead(settings.name(), consumer.nextName());
    }

    /** Reads new entries if the script has created the key; reads them under the name of the batch, if there is one. */
    TrailingCommand<byte[]> readNew(int max, String trailingReadKey, Optional<Batch> batch) {
        return new TrailingCommand<>(
                new String[] {
                    "XREADGROUP",
                    "GROUP",
                    settings.name(),
                    batch.map(Batch::name).orElse(consumer.name()),
                    "COUNT",
                    Integer.toString(max),
                    "STREAMS",
                    keys.stream(),
                    trailingReadKey,
                    ">",
                    ">"
                },
                new String[] {"DEL", trailingReadKey},
                reply -> reply);
    }

    /** Settles claimed entries. */
    ScriptCall<EntrySettlements.Results> settle(List<EntrySettlement> given) {
        List<byte[]> arguments = new ArrayList<>(List.of(group, consumerName));
        EntrySettlements settlements = EntrySettlements.of(given);
        arguments.addAll(settlements.arguments());
        boolean acks = settlements.areAcks();
        return call(
                acks ? scripts.ack : scripts.settle,
                acks ? keys.ack(settings.name()) : withQueue(keys.settle(settings.name())),
                arguments,
                reply -> new EntrySettlements.Results(Packed.number(reply, 0, 7), settlements.settled(reply, 7)));
    }

    /** Creates the group at the start position of its settings, unless it exists. */
    ScriptCall<Boolean> declare() {
        byte[] start = ascii(new GroupPosition(settings.start()).text());
        return call(scripts.declareGroup, keys.ack(settings.name()), List.of(group, start), reply -> reply[0] != 0);
    }

    /** Removes the group. */
    ScriptCall<Boolean> remove() {
        return call(
                scripts.removeGroup, withQueue(keys.remove(settings.name())), List.of(group), reply -> reply[0] != 0);
    }

    /** Stores the keys of done entries for the time that the group's settings state. */
    ScriptCall<Boolean> keepDone(List<String> doneKeys) {
        return ofKeys(scripts.done, doneKeys, reply -> true);
    }

    /** Returns the indexes of the keys whose entries are done. */
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

    /** Acknowledges an entry, with its key if it has one and the group keeps keys. */
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

    /**
     * The settlement action that changes a lease to end after this time. Redis counts idle time upwards, so the entry gets an idle
     * time of {@code minIdle - lease}.
     */
    byte[] extend(Duration lease) {
        return EntrySettlement.extend(millis(settings.minIdle()) - millis(lease));
    }

    /** Returns a lease in milliseconds, rounded up so that no lease ends early. */
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
