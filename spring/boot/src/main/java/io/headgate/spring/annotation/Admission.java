package io.headgate.spring.annotation;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Hold;
import io.headgate.limits.Limiter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.web.ErrorResponseException;

/** What the limits of a method decided about a call. */
sealed interface Admission {

    /** The call is admitted, and nothing is charged or held. */
    Admitted FREE = new Admitted(List.of(), List.of());

    /** The call is denied. It holds nothing, and was charged for nothing but attempts. */
    record Denied(MethodLimit by, ErrorResponseException exception) implements Admission {

        /** Answers the call by its fallback, or throws the exception. Throws what the fallback throws. */
        @Nullable
        Object answer(Object target, @Nullable Object[] arguments) throws Throwable {
            FallbackMethod fallback = by.fallback();
            if (fallback == null) {
                throw exception;
            }
            return fallback.answer(target, arguments, exception);
        }
    }

    /** The permits of a rate that were charged. */
    record Charge(MethodLimit limit, Limiter limiter, Attributes attributes, Decision decision) {}

    /** The call is admitted. */
    record Admitted(List<Charge> charges, List<Hold> holds) implements Admission {

        private boolean isFree() {
            return charges.isEmpty() && holds.isEmpty();
        }

        Admitted with(Admitted more) {
            if (more.isFree()) {
                return this;
            }
            if (isFree()) {
                return more;
            }
            List<Charge> allCharges = new ArrayList<>(charges);
            allCharges.addAll(more.charges);
            List<Hold> allHolds = new ArrayList<>(holds);
            allHolds.addAll(more.holds);
            return new Admitted(allCharges, allHolds);
        }

        /** Releases what the call held. A second call does nothing. */
        void release() {
            for (Hold hold : holds) {
                hold.close();
            }
        }

        /** Releases what is held and refunds what was charged, for a call that does not run. The future never fails. */
        CompletableFuture<Void> undo() {
            release();
            return CompletableFuture.allOf(
                    charges.stream().map(Admitted::refund).toArray(CompletableFuture<?>[]::new));
        }

        private static CompletableFuture<Long> refund(Charge charge) {
            CompletableFuture<Long> refunded;
            try {
                refunded = charge.limiter()
                        .async()
                        .refund(charge.attributes(), charge.decision())
                        .toCompletableFuture();
            } catch (RuntimeException e) {
                refunded = CompletableFuture.failedFuture(e);
            }
            return refunded.exceptionally(e -> {
                charge.limit().failures().failed("", "the permits are not refunded", e);
                return 0L;
            });
        }
    }
}
