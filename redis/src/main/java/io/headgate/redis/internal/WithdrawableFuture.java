package io.headgate.redis.internal;

import java.util.concurrent.CompletableFuture;

/** The answer to a call that may wait before it is sent; what is made of the answer withdraws the same call. */
public abstract class WithdrawableFuture<R> extends CompletableFuture<R> implements Withdrawable {

    /** For calls that know how they are withdrawn. */
    protected WithdrawableFuture() {}

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new Following<>(this);
    }

    /** What is made of the answer. */
    private static final class Following<U> extends WithdrawableFuture<U> {

        private final Withdrawable call;

        Following(Withdrawable call) {
            this.call = call;
        }

        @Override
        public boolean withdraw() {
            return call.withdraw();
        }
    }
}
