package io.headgate.testkit.consul;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Transactions of operations on keys. */
final class ConsulTransactions {

    private static final int OK = 200;
    private static final int ROLLED_BACK = 409;
    private static final int TOO_LARGE = 413;

    /** Earlier versions of Consul allow 64, later ones 128. */
    private static final int MAX_OPERATIONS = 64;

    private final ConsulData data;

    ConsulTransactions(ConsulData data) {
        this.data = data;
    }

    ConsulReply reply(String body, ConsulToken token) {
        List<Map<String, String>> operations = FlatJson.objects(body);
        if (operations.size() > MAX_OPERATIONS) {
            throw new ConsulRejection(
                    TOO_LARGE,
                    "Transaction contains too many operations (" + operations.size() + " > " + MAX_OPERATIONS + ")");
        }
        List<String> results = new ArrayList<>();
        int[] at = {0};
        try {
            return data.transaction(() -> {
                for (Map<String, String> operation : operations) {
                    results.addAll(results(operation, token));
                    at[0]++;
                }
                return new ConsulReply(OK, "{\"Results\":" + array(results) + ",\"Errors\":null}");
            });
        } catch (ConsulRejection e) {
            String error =
                    "{\"OpIndex\":" + at[0] + ",\"What\":" + FlatJson.quoted(String.valueOf(e.getMessage())) + "}";
            return new ConsulReply(ROLLED_BACK, "{\"Results\":null,\"Errors\":[" + error + "]}");
        }
    }

    private static String array(List<String> results) {
        return results.stream().map(entry -> "{\"KV\":" + entry + "}").collect(Collectors.joining(",", "[", "]"));
    }

    private List<String> results(Map<String, String> operation, ConsulToken token) {
        String verb = operation.getOrDefault("verb", "");
        String key = operation.getOrDefault("key", "");
        byte[] value = Base64.getDecoder().decode(operation.getOrDefault("value", ""));
        Optional<Entry> found = data.find(key);
        if (verb.startsWith("get") || verb.startsWith("check")) {
            token.requireRead(key);
        } else {
            token.requireWrite(key);
        }
        switch (verb) {
            case "get" -> {
                return List.of(found.orElseThrow(() -> failed(key + "\" doesn't exist"))
                        .json(true));
            }
            case "set" -> {
                return List.of(data.put(key, value, operation.getOrDefault("flags", "0"))
                        .json(false));
            }
            case "cas" -> {
                requireIndex(found, key, operation);
                return List.of(data.put(key, value, operation.getOrDefault("flags", "0"))
                        .json(false));
            }
            case "check-index" -> {
                requireIndex(found, key, operation);
                return List.of(found.orElseThrow().json(false));
            }
            case "check-not-exists" -> {
                if (found.isPresent()) {
                    throw failed(key + "\" exists");
                }
                return List.of();
            }
            case "delete" -> data.delete(key);
            case "delete-tree" -> data.deleteAll(key);
            case "delete-cas" -> {
                requireIndex(found, key, operation);
                data.delete(key);
            }
            default -> throw new ConsulRejection(ROLLED_BACK, "unknown KV verb \"" + verb + "\"");
        }
        return List.of();
    }

    private static void requireIndex(Optional<Entry> found, String key, Map<String, String> operation) {
        long modified = found.map(Entry::modifyIndex).orElse(0L);
        if (modified != Long.parseLong(operation.getOrDefault("index", "0"))) {
            throw failed(key + "\", index is stale");
        }
    }

    private static ConsulRejection failed(String problem) {
        return new ConsulRejection(ROLLED_BACK, "failed to set key \"" + problem);
    }
}
