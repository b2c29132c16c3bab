package io.headgate.spring.test;

import io.headgate.testkit.ManualClock;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Instant;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Counts the limits of a test in memory, with a clock that the test moves. Works with {@code @SpringBootTest}, and adds the filters and
 * annotations of Headgate to {@code @WebMvcTest} and {@code @WebFluxTest}.
 *
 * <pre>{@code
 * @WebMvcTest
 * @AutoConfigureHeadgate
 * class OrdersTest {
 *
 *     @Autowired
 *     MockMvc client;
 *
 *     @Autowired
 *     ManualClock clock;
 * }
 * }</pre>
 *
 * <p>Before each test method, all counts, holds and pauses are reset, and the clock is set to {@link #START}. Methods of the same context
 * must not run at the same time. A request id is remembered for all methods, so use another one in each.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
public @interface AutoConfigureHeadgate {

    /** The time of the {@link ManualClock} when a test method starts, in UTC: an {@link Instant} as text. */
    String START = "2026-01-01T00:00:00Z";

    /** Where limits are counted. */
    Engine engine() default Engine.MEMORY;

    /** Where limits are counted. */
    enum Engine {

        /** In memory, by the clock of the bean of the type {@link ManualClock}. Replaces the engine of the application. */
        MEMORY,

        /**
         * In a Redis that the test kit starts once for all tests of this JVM, by its clock. It is also the Redis of {@code
         * spring.data.redis.url}, but no other keys than those of limits are reset.
         */
        EMBEDDED_REDIS
    }
}
