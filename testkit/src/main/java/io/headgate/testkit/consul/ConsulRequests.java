package io.headgate.testkit.consul;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Replies to requests as Consul's documentation describes it. */
final class ConsulRequests {

    private static final String KV = "kv/";
    private static final String SESSION = "session/";
    private static final String RECURSE = "recurse";
    private static final String CAS = "cas";
    private static final String NO_FLAGS = "0";
    private static final int OK = 200;
    private static final int BAD_REQUEST = 400;
    private static final int NOT_FOUND = 404;
    private static final int NOT_ALLOWED = 405;

    /** The fraction of the wait that is added at most, so that requests do not wake up together. */
    private static final int JITTER = 16;

    private static final long LONGEST_WAIT_MILLIS = TimeUnit.MINUTES.toMillis(10);
    private static final long DEFAULT_WAIT_MILLIS = TimeUnit.MINUTES.toMillis(5);
    private static final long SHORTEST_TTL_SECONDS = 10;
    private static final long LONGEST_TTL_SECONDS = 86_400;

    private final ConsulData data;
    private final ConsulTransactions transactions;
    private volatile String lostWrites = "";

    ConsulRequests(ConsulData data) {
        this.data = data;
        this.transactions = new ConsulTransactions(data);
    }

    void loseWritesOf(String part) {
        lostWrites = part;
    }

    ConsulReply reply(String method, String path, Map<String, String> query, byte[] body, ConsulToken token)
            throws InterruptedException {
        if (path.startsWith(KV)) {
            String key = path.substring(KV.length());
            return switch (method) {
                case "GET" -> get(key, query, token);
                case "PUT" -> put(key, query, body, token);
                case "DELETE" -> delete(key, query, token);
                default -> throw new ConsulRejection(NOT_ALLOWED, "method not allowed");
            };
        }
        if (method.equals("PUT") && path.equals("txn")) {
            return transactions.reply(new String(body, UTF_8), token);
        }
        if (path.startsWith(SESSION)) {
            token.requireSessions();
            String rest = path.substring(SESSION.length());
            int slash = rest.indexOf('/');
            String operation = slash < 0 ? rest : rest.substring(0, slash);
            return session(method + " " + operation, rest.substring(slash + 1), new String(body, UTF_8));
        }
        throw new ConsulRejection(NOT_FOUND, "no such endpoint: " + path);
    }

    private ConsulReply get(String key, Map<String, String> query, ConsulToken token) throws InterruptedException {
        boolean keysOnly = query.containsKey("keys");
        boolean recurse = keysOnly || query.containsKey(RECURSE);
        if (query.containsKey("stale") && query.containsKey("consistent")) {
            throw new ConsulRejection(BAD_REQUEST, "Cannot specify ?stale with ?consistent, conflicting semantics.");
        }
        if (!recurse) {
            token.requireRead(key);
        }
        long known = Long.parseLong(query.getOrDefault("index", "0"));
        ConsulData.Read read = known > 0 ? data.await(key, recurse, known, waitMillis(query)) : data.read(key, recurse);
        List<Entry> found = read.entries().stream()
                .filter(entry -> token.reads(entry.key()))
                .toList();
        Optional<Long> index = Optional.of(read.index());
        if (found.isEmpty()) {
            return new ConsulReply(NOT_FOUND, "", index);
        }
        if (query.containsKey("raw")) {
            return new ConsulReply(
                    OK, new String(Base64.getDecoder().decode(found.get(0).value()), UTF_8), index);
        }
        String json = found.stream()
                .map(entry -> keysOnly ? FlatJson.quoted(entry.key()) : entry.json(true))
                .collect(Collectors.joining(",", "[", "]"));
        return new ConsulReply(OK, json, index);
    }

    /** The wait, and up to a sixteenth more. */
    private static long waitMillis(Map<String, String> query) {
        long wait = Optional.ofNullable(query.get("wait"))
                .map(ConsulRequests::millis)
                .filter(millis -> millis > 0)
                .orElse(DEFAULT_WAIT_MILLIS);
        long bounded = Math.min(wait, LONGEST_WAIT_MILLIS);
        return bounded + ThreadLocalRandom.current().nextLong(bounded / JITTER + 1);
    }

    private static long millis(String duration) {
        String number = duration.replaceAll("[a-z]+$", "");
        return switch (duration.substring(number.length())) {
            case "ms" -> Long.parseLong(number);
            case "s" -> TimeUnit.SECONDS.toMillis(Long.parseLong(number));
            case "m" -> TimeUnit.MINUTES.toMillis(Long.parseLong(number));
            default -> throw new ConsulRejection(BAD_REQUEST, "Invalid wait time");
        };
    }

    private ConsulReply put(String key, Map<String, String> query, byte[] body, ConsulToken token) {
        token.requireWrite(key);
        String flags = query.getOrDefault("flags", NO_FLAGS);
        String lost = lostWrites;
        if (!lost.isEmpty() && key.contains(lost)) {
            return new ConsulReply(OK, "true");
        }
        boolean written = data.change(() -> {
            if (query.containsKey("acquire")) {
                return data.acquire(key, body, flags, query.get("acquire"));
            }
            if (query.containsKey(CAS)) {
                long modified = data.find(key).map(Entry::modifyIndex).orElse(0L);
                if (modified != Long.parseLong(query.get(CAS))) {
                    return false;
                }
            }
            data.put(key, body, flags);
            return true;
        });
        return new ConsulReply(OK, Boolean.toString(written));
    }

    private ConsulReply delete(String key, Map<String, String> query, ConsulToken token) {
        token.requireWrite(key);
        boolean deleted = data.change(() -> {
            if (query.containsKey(RECURSE)) {
                data.deleteAll(key);
                return true;
            }
            if (query.containsKey(CAS)) {
                long modified = data.find(key).map(Entry::modifyIndex).orElse(0L);
                if (modified == 0 || modified != Long.parseLong(query.get(CAS))) {
                    return false;
                }
            }
            data.delete(key);
            return true;
        });
        return new ConsulReply(OK, Boolean.toString(deleted));
    }

    private ConsulReply session(String operation, String id, String body) {
        return switch (operation) {
            case "PUT create" -> create(body);
            case "PUT renew" ->
                data.change(() -> data.renew(id))
                        .map(renewed -> new ConsulReply(OK, "[" + renewed.json() + "]"))
                        .orElseThrow(() -> new ConsulRejection(NOT_FOUND, "Session id '" + id + "' not found"));
            case "PUT destroy" ->
                data.change(() -> {
                    data.endSession(id);
                    return new ConsulReply(OK, "true");
                });
            case "GET info" ->
                new ConsulReply(
                        OK,
                        data.change(() -> data.session(id))
                                .map(found -> "[" + found.json() + "]")
                                .orElse("[]"),
                        Optional.of(1L));
            default -> throw new ConsulRejection(NOT_ALLOWED, "no such operation: " + operation);
        };
    }

    private ConsulReply create(String body) {
        Map<String, String> members =
                FlatJson.objects(body).stream().findFirst().orElse(Map.of());
        long ttl = millis(members.getOrDefault("ttl", "0s")) / TimeUnit.SECONDS.toMillis(1);
        if (ttl != 0 && (ttl < SHORTEST_TTL_SECONDS || ttl > LONGEST_TTL_SECONDS)) {
            throw new ConsulRejection(BAD_REQUEST, "Invalid Session TTL '" + ttl + "', must be between [10s=24h0m0s]");
        }
        String name = members.getOrDefault("name", "");
        boolean deletes = "delete".equals(members.get("behavior"));
        String id = data.change(() -> data.createSession(name, ttl, deletes)).id();
        return new ConsulReply(OK, "{\"ID\":\"" + id + "\"}");
    }
}
