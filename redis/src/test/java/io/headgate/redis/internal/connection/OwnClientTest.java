package io.headgate.redis.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.redis.RedisSettings;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import org.junit.jupiter.api.Test;

/** The options of the engine's own client. */
class OwnClientTest {

    @Test
    void maintenance_notifications_are_disabled() throws ReflectiveOperationException {
        RedisClient client = OwnClient.of(new ConnectionSettings(RedisSettings.of("redis://localhost")));
        try {
            Object config;
            try {
                config = ClientOptions.class
                        .getMethod("getMaintNotificationsConfig")
                        .invoke(client.getOptions());
            } catch (NoSuchMethodException e) {
                return; // Lettuce 6 has no such notifications.
            }
            assertThat(config.getClass().getMethod("maintNotificationsEnabled").invoke(config))
                    .isEqualTo(false);
        } finally {
            OwnClient.shutdown(client);
        }
    }
}
