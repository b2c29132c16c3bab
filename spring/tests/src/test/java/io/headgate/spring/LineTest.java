package io.headgate.spring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootVersion;

class LineTest {
    @Test
    void boot() {
        assertThat(SpringBootVersion.getVersion()).startsWith("3");
    }
}
