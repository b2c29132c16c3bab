package io.headgate.limits.internal.decision;

import io.headgate.limits.Decision;
import io.headgate.limits.RequestId;
import io.headgate.limits.internal.Micros;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The base class of all decisions that engines create; only such decisions can be refunded. The id of the charge is created when it is
 * first read, because few decisions are refunded. Immutable otherwise.
 */
public abstract class EngineDecision implements Decision {

    private static final VarHandle CHARGE_ID;

    static {
        try {
            CHARGE_ID = MethodHandles.lookup().findVarHandle(EngineDecision.class, "chargeId", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final String policyName;
    private final long decidedAtMicros;
    private final Basis basis;

    /** 0 until it is read for the first time. */
    private volatile long chargeId;

    EngineDecision(String policyName, Basis basis, long decidedAtMicros) {
        this.policyName = policyName;
        this.basis = basis;
        this.decidedAtMicros = decidedAtMicros;
    }

    /**
     * Checks that an engine created a decision.
     *
     * @throws IllegalArgumentException if the decision is another implementation
     */
    public static EngineDecision require(@Nullable Decision decision) {
        if (decision instanceof EngineDecision ofEngine) {
            return ofEngine;
        }
        if (decision == null) {
            throw new NullPointerException("decision");
        }
        throw new IllegalArgumentException("decision must be one that a limiter returned, but is a "
                + decision.getClass().getName() + "; only decisions of an engine can be refunded");
    }

    @Override
    public final String policyName() {
        return policyName;
    }

    @Override
    public final Basis basis() {
        return basis;
    }

    @Override
    public final long chargeId() {
        long id = chargeId;
        if (id == 0) {
            long fresh = ChargeIds.next();
            id = CHARGE_ID.compareAndSet(this, 0L, fresh) ? fresh : chargeId;
        }
        return id;
    }

    /** Returns the same decision without the id of its charge. */
    abstract EngineDecision copy();

    /**
     * Returns the same decision with this id of its charge.
     *
     * @param id the {@link #chargeId()} of a stored decision
     * @throws IllegalArgumentException if the id is 0
     */
    public final EngineDecision withChargeId(long id) {
        if (id == 0) {
            throw new IllegalArgumentException("chargeId must not be 0");
        }
        EngineDecision same = copy();
        CHARGE_ID.setRelease(same, id);
        return same;
    }

    /**
     * Returns the same decision with a {@link #chargeId()} that is computed from the request id and the time of the decision. So the
     * decision has the same id in every process to which it is repeated.
     */
    public final EngineDecision chargedOnceAs(RequestId id) {
        return withChargeId(ChargeIds.of(id.value(), decidedAtMicros));
    }

    @Override
    public final Instant decidedAt() {
        return Micros.toInstant(decidedAtMicros);
    }

    @Override
    public final long decidedAtMicros() {
        return decidedAtMicros;
    }
}
