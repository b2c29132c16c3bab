package io.headgate.spring.queues.internal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * What one transaction sends after its commit, in the order of the calls. A rollback to a savepoint removes what was added after it. Needs
 * Spring's transactions; used by the thread of the transaction.
 */
final class TransactionalSends implements TransactionSynchronization {

    private static final int MAX_SENDS = 10_000;

    private final List<Runnable> sends = new ArrayList<>();
    private final Map<Object, Integer> savepoints = new HashMap<>();

    private TransactionalSends() {}

    /** Runs a task after the commit of the current transaction, or immediately if there is none. */
    static void afterCommit(Runnable send) {
        if (TransactionSynchronizationManager.isActualTransactionActive()
                && TransactionSynchronizationManager.isSynchronizationActive()) {
            ofCurrentTransaction().add(send);
        } else {
            send.run();
        }
    }

    private static TransactionalSends ofCurrentTransaction() {
        Optional<TransactionalSends> known = TransactionSynchronizationManager.getSynchronizations().stream()
                .filter(TransactionalSends.class::isInstance)
                .map(TransactionalSends.class::cast)
                .findFirst();
        return known.orElseGet(() -> {
            TransactionalSends first = new TransactionalSends();
            TransactionSynchronizationManager.registerSynchronization(first);
            return first;
        });
    }

    private void add(Runnable send) {
        if (sends.size() >= MAX_SENDS) {
            throw new IllegalStateException(
                    "a transaction can send at most " + MAX_SENDS + " jobs and entries after its commit");
        }
        sends.add(send);
    }

    @Override
    public void savepoint(Object savepoint) {
        savepoints.put(savepoint, sends.size());
    }

    @Override
    public void savepointRollback(Object savepoint) {
        // A savepoint that is not known was created before the first call.
        int kept = savepoints.getOrDefault(savepoint, 0);
        sends.subList(Math.min(kept, sends.size()), sends.size()).clear();
    }

    @Override
    public void afterCommit() {
        @Nullable RuntimeException first = null;
        for (Runnable send : sends) {
            try {
                send.run();
            } catch (RuntimeException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
