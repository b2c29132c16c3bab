package io.headgate.server.doctor;

import static io.headgate.server.cli.Finding.note;
import static io.headgate.server.cli.Finding.ok;
import static io.headgate.server.cli.Finding.problem;
import static io.headgate.server.cli.Finding.unavailable;
import static io.headgate.server.cli.Finding.warning;

import io.headgate.server.cli.Finding;
import io.headgate.server.redis.RedisInspector;
import io.headgate.server.text.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Checks memory: use, maxmemory, eviction, fragmentation and cached scripts. */
final class DoctorMemory {

    private static final int MANY_SCRIPTS = 1000;
    private static final double HIGH_FRAGMENTATION = 1.5;

    /** Fragmentation below this size is ignored, because a process without data has about as much overhead. */
    private static final long MIN_WASTE_BYTES = 100L << 20;

    private DoctorMemory() {}

    static List<Finding> check(RedisInspector redis) {
        List<Finding> findings = new ArrayList<>();
        redis.info("memory")
                .ifPresentOrElse(
                        memory -> {
                            findings.add(used(memory));
                            findings.add(eviction(memory));
                            findings.add(fragmentation(memory));
                            findings.add(scripts(memory));
                        },
                        () -> findings.add(unavailable("memory", "INFO")));
        redis.number("stats", "evicted_keys")
                .filter(keys -> keys > 0)
                .ifPresent(keys -> findings.add(warning(
                        "evicted",
                        "%.0f keys evicted since Redis started".formatted(keys),
                        "if counts were among them, limits admitted too much; see eviction above")));
        return findings;
    }

    private static Finding used(Map<String, String> memory) {
        long used = number(memory, "used_memory");
        long most = number(memory, "maxmemory");
        if (most == 0) {
            return note(
                    "memory",
                    Words.bytes(used) + " used, maxmemory is not set",
                    "set maxmemory to what this machine can spare; otherwise the system may kill Redis when memory is short");
        }
        String found = Words.bytes(used) + " used of maxmemory " + Words.bytes(most);
        String advice =
                "raise maxmemory; ./headgate plan limits estimates what the limits need. A full Redis rejects writes, so checks fail, or evicts keys";
        double share = (double) used / most;
        return share < 0.75
                ? ok("memory", found)
                : share < 0.95 ? warning("memory", found, advice) : problem("memory", found, advice);
    }

    private static Finding eviction(Map<String, String> memory) {
        String policy = memory.getOrDefault("maxmemory_policy", "noeviction");
        if (policy.equals("noeviction")) {
            return ok("eviction", "noeviction: a full Redis rejects writes and loses no counts");
        }
        String found = policy
                + (policy.startsWith("volatile")
                        ? ": when memory is full, keys with an expiry are evicted, and all counts have one"
                        : ": when memory is full, any key may be evicted, including counts in use");
        String advice =
                "CONFIG SET maxmemory-policy noeviction (and in the file): an id whose count is evicted starts from zero and exceeds its limit; use another Redis for caches";
        return number(memory, "maxmemory") == 0
                ? note("eviction", found + "; without maxmemory, nothing is evicted", advice)
                : problem("eviction", found, advice);
    }

    private static Finding fragmentation(Map<String, String> memory) {
        long used = Math.max(1, number(memory, "used_memory"));
        long waste = number(memory, "used_memory_rss") - used;
        double ratio = 1 + (double) waste / used;
        String found = String.format(
                Locale.ROOT, "ratio %.2f, %s in addition to the data", ratio, Words.bytes(Math.max(0, waste)));
        return ratio > HIGH_FRAGMENTATION && waste > MIN_WASTE_BYTES
                ? warning("fragmentation", found, "CONFIG SET activedefrag yes, or restart Redis at a quiet time")
                : ok("fragmentation", found);
    }

    private static Finding scripts(Map<String, String> memory) {
        long cached = number(memory, "number_of_cached_scripts");
        String found = Words.count(cached, "script") + " in the cache, "
                + Words.bytes(number(
                        memory,
                        memory.containsKey("used_memory_scripts")
                                ? "used_memory_scripts"
                                : "used_memory_scripts_eval"));
        return cached > MANY_SCRIPTS
                ? warning(
                        "script cache",
                        found,
                        "most are from another program, which writes values into the text of its scripts: Headgate has a few for each sequence of algorithms in a policy, and at most 256 per engine for requests to several policies. SCRIPT FLUSH is safe for Headgate, which reloads its scripts")
                : ok("script cache", found);
    }

    private static long number(Map<String, String> memory, String field) {
        return Long.parseLong(memory.getOrDefault(field, "0"));
    }
}
