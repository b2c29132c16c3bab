package io.headgate.bench.web;

import java.util.List;

/** The scenarios, each an application with a jar of its own, and its profiles, of which each is one subject. */
enum WebSubjects {
    CONTROLLER("controller"),
    GATEWAY("gateway");

    /** The application without a limit. */
    static final String NONE = "none";

    static final String MEMORY = "headgate-memory";
    static final String REDIS = "headgate-redis";
    static final String NO_FIELDS = "headgate-no-fields";
    static final String LEASED = "headgate-leased";
    static final String BUCKET4J_MEMORY = "bucket4j-memory";
    static final String BUCKET4J = "bucket4j-redis";
    static final String REQUEST_RATE_LIMITER = "request-rate-limiter";

    private final String label;

    WebSubjects(String label) {
        this.label = label;
    }

    /** The name of the scenario, and that of its jar. */
    String label() {
        return label;
    }

    List<String> subjects() {
        return switch (this) {
            case CONTROLLER -> List.of(NONE, MEMORY, NO_FIELDS, REDIS, LEASED, BUCKET4J_MEMORY, BUCKET4J);
            case GATEWAY -> List.of(NONE, MEMORY, REDIS, REQUEST_RATE_LIMITER);
        };
    }
}
