package io.headgate.spring.queues.internal.payloads;

import io.headgate.spring.queues.InvalidPayloadException;
import jakarta.validation.Validator;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Checks payloads by the validator of the application. The reason has the properties and messages, but not the values. */
public final class ConstraintCheck implements PayloadCheck {

    private static final int MAX_VIOLATIONS = 10;

    private final Supplier<Optional<Validator>> validator;

    /**
     * Creates a check.
     *
     * @param validator returns the validator of the application, if it has one
     */
    public ConstraintCheck(Supplier<Optional<Validator>> validator) {
        this.validator = validator;
    }

    @Override
    public boolean isAvailable() {
        return validator.get().isPresent();
    }

    @Override
    public void check(Object payload) {
        String violations = validator.get().stream()
                .flatMap(found -> found.validate(payload).stream())
                .map(violation -> violation.getPropertyPath() + ": " + violation.getMessage())
                .sorted()
                .limit(MAX_VIOLATIONS)
                .collect(Collectors.joining("; "));
        if (!violations.isEmpty()) {
            throw new InvalidPayloadException("the payload is invalid: " + violations);
        }
    }
}
