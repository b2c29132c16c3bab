package io.headgate.bench.policies;

import io.headgate.config.sources.PolicyDocument.Text;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Policies with two rules each, such as one for each tenant, in files of 500 policies.
 *
 * @param count the number of policies
 */
record ManyPolicies(int count) {

    /** A file has at most 1 MiB. */
    private static final int IN_A_FILE = 500;

    /**
     * Returns the files of a version.
     *
     * @param permits the limit of the first policy, in which versions differ
     */
    List<Text> texts(int permits) {
        List<Text> texts = new ArrayList<>();
        for (int first = 0; first < count; first += IN_A_FILE) {
            StringBuilder yaml = new StringBuilder("policies:\n");
            for (int i = first; i < Math.min(count, first + IN_A_FILE); i++) {
                yaml.append(policy(i, i == 0 ? permits : 100 + i % 900));
            }
            texts.add(new Text(String.format(Locale.ROOT, "policies-%05d.yaml", first), yaml.toString()));
        }
        return texts;
    }

    static String name(int policy) {
        return "tenant-" + policy;
    }

    private static String policy(int number, int permits) {
        return String.format(Locale.ROOT, """
                  %s:
                    rules:
                      global:
                        token-bucket: { capacity: 2000, refill: 1000 per 1s }
                      per-user:
                        by: user
                        sliding-window: { permits: %d, window: 1m }
                """, name(number), permits);
    }

    static long bytes(List<Text> texts) {
        return texts.stream()
                .mapToLong(text -> text.yaml().getBytes(StandardCharsets.UTF_8).length)
                .sum();
    }

    /** Writes the files to a directory. */
    static void write(List<Text> texts, Path directory) throws IOException {
        for (Text text : texts) {
            Files.writeString(directory.resolve(text.name()), text.yaml());
        }
    }
}
