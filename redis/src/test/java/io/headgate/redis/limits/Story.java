package io.headgate.redis.limits;

import io.headgate.limits.Policy;
import java.util.List;

/** Prints the calls of a failed history so that a reader can follow and repeat them. */
public final class Story {

    private Story() {}

    public static String of(List<Call> calls) {
        List<Policy> policies = calls.stream().map(Call::policy).distinct().toList();
        StringBuilder story = new StringBuilder();
        for (Policy policy : policies) {
            story.append("policy ").append(letter(policies, policy)).append(": ");
            story.append(policy.rules()).append('\n');
        }
        long before = calls.get(0).atMicros();
        story.append("from ").append(before).append(" us:\n");
        for (Call call : calls) {
            long passed = call.atMicros() - before;
            before = call.atMicros();
            story.append(passed < 0 ? "" : "+").append(passed).append(" us: ").append(letter(policies, call.policy()));
            story.append(' ')
                    .append(call.question())
                    .append(" -> ")
                    .append(call.expected())
                    .append('\n');
        }
        return story.toString();
    }

    private static char letter(List<Policy> policies, Policy policy) {
        return (char) ('A' + policies.indexOf(policy));
    }
}
