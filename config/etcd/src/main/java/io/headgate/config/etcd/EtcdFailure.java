package io.headgate.config.etcd;

import io.etcd.jetcd.common.exception.EtcdException;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.headgate.config.internal.stores.StoreFailure;
import io.headgate.config.internal.stores.StoreFailure.Kind;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;

/** Describes calls to etcd that failed for operators. */
final class EtcdFailure {

    /** With which messages of Netty's native transports begin. */
    private static final Pattern NATIVE_CALL = Pattern.compile("^\\w+\\(\\.\\.\\) failed with error\\(-\\d+\\): ");

    private EtcdFailure() {}

    static StoreFailure noReply(String operation, Duration timeout) {
        return new StoreFailure(
                Kind.NO_REPLY, operation + ": etcd did not reply within " + timeout.toSeconds() + " s", null);
    }

    /** Translates what jetcd and gRPC report. */
    static StoreFailure from(String operation, Throwable thrown) {
        Status status = deepest(thrown);
        String description = Optional.ofNullable(status.getDescription()).orElse("");
        String problem =
                switch (status.getCode()) {
                    case UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED, ABORTED ->
                        "etcd cannot be reached: " + reason(status, description);
                    case UNAUTHENTICATED -> "etcd rejects the user or the password: " + description;
                    case PERMISSION_DENIED -> "etcd denies the user access to this key: " + description;
                    default ->
                        description.contains("authentication failed")
                                ? "etcd rejects the user or the password: " + description
                                : description.contains("user name is empty")
                                        ? "etcd requires a user and a password: " + description
                                        : "etcd rejects the call: " + (description.isEmpty() ? thrown : description);
                };
        Kind kind =
                switch (status.getCode()) {
                    case UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED, ABORTED -> Kind.NO_REPLY;
                    case NOT_FOUND -> Kind.NO_LEASE;
                    default -> Kind.OTHER;
                };
        return new StoreFailure(kind, operation + ": " + problem, thrown);
    }

    /** A failed login is the cause of the status of the call. */
    private static Status deepest(Throwable thrown) {
        Status found = Status.UNKNOWN.withDescription(thrown.toString());
        for (Throwable at = thrown; at != null; at = at.getCause()) {
            if (at instanceof StatusRuntimeException failed) {
                found = failed.getStatus();
            } else if (at instanceof StatusException failed) {
                found = failed.getStatus();
            } else if (at instanceof EtcdException failed
                    && String.valueOf(failed.getMessage()).contains("lease not found")) {
                found = Status.NOT_FOUND.withDescription(failed.getMessage());
            }
        }
        return found;
    }

    /** The first problem of the network, which the status only wraps: a refused connection, or a certificate that is not trusted. */
    private static String reason(Status status, String description) {
        String reason = description;
        for (Throwable at = status.getCause(); at != null; at = at.getCause()) {
            boolean explains = at instanceof IOException || at instanceof GeneralSecurityException;
            if (explains && at.getMessage() != null) {
                reason = at.getMessage();
            }
        }
        return NATIVE_CALL.matcher(reason).replaceFirst("");
    }
}
