package io.headgate.redis.limits;

import io.headgate.limits.Policy;
import java.util.List;

/** The calls of a failed history as text, so that a reader can follow and repeat them. */
public final class CallLog {

    private CallLog() {}

    public static String of(List<Call> calls) {
        List<Policy> policies = calls.stream().map(Call::policy).distinct().toList();
        StringBuilder text = new StringBuilder();
        for (Policy policy : policies) {
            text.append("policy ").append(letter(policies, policy)).append(": ");
            text.append(policy.rules()).append('\n');
        }
        long before = calls.get(0).atMicros();
        text.append("from ").append(before).append(" us:\n");
        for (Call call : calls) {
            long passed = call.atMicros() - before;
            before = call.atMicros();
            text.append(passed < 0 ? "" : "+").append(passed).append(" us: ").append(letter(policies, call.policy()));
            text.append(' ')
                    .append(call.description())
                    .append(" -> ")
                    .append(call.expected())
                    .append('\n');
        }
        return text.toString();
    }

    private static char letter(List<Policy> policies, Policy policy) {
        return (char) ('A' + policies.indexOf(policy));
    }
}
