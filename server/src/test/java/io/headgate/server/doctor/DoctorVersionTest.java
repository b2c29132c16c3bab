package io.headgate.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The findings of the doctor about versions. The Redis is a fake that replies only to PING and INFO, because versions that are too old
 * are not available here.
 */
class DoctorVersionTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            redis_version:5.0.14 | problem  version       Redis 5.0.14
            redis_version:6.0.16 | problem  version       Redis 6.0.16
            redis_version:6.2.0  | ok       version       Redis 6.2.0
            redis_version:7.4.2  | ok       version       Redis 7.4.2
            redis_version:10.0.1 | ok       version       Redis 10.0.1
            # Valkey reports 7.2.4 as redis_version.
            redis_version:7.2.4,valkey_version:8.1.1 | ok       version       Valkey 8.1.1
            role:master          | note     version       unknown: this user may not run INFO
            """)
    void each_version_has_its_finding(String info, String line) throws Exception {
        try (ServerSocket fake = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            inBackground(() -> accept(fake, info.replace(",", "\r\n") + "\r\n"));
            DoctorRun run = DoctorRun.of("--redis", "redis://127.0.0.1:" + fake.getLocalPort());
            assertThat(run.output()).contains(line + "\n");
            if (line.startsWith("problem")) {
                assertThat(run.exitCode()).isEqualTo(1);
                assertThat(run.output()).contains("-> upgrade: Headgate needs Redis 6.2 or newer, or Valkey");
            }
        }
    }

    private static void inBackground(Runnable task) {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
    }

    private static void accept(ServerSocket fake, String info) {
        try {
            while (true) {
                Socket client = fake.accept();
                inBackground(() -> answer(client, info));
            }
        } catch (IOException e) {
            // The test has ended.
        }
    }

    private static void answer(Socket accepted, String info) {
        try (Socket client = accepted) {
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
            OutputStream out = client.getOutputStream();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String command = "";
                for (int parts = Integer.parseInt(line.substring(1)); parts > 0; parts--) {
                    in.readLine(); // its length
                    String part = in.readLine();
                    command = command.isEmpty() ? part : command;
                }
                String reply =
                        switch (command) {
                            case "PING" -> "+PONG\r\n";
                            case "INFO" -> "$" + info.length() + "\r\n" + info + "\r\n";
                            default -> "-ERR unknown command\r\n";
                        };
                out.write(reply.getBytes(StandardCharsets.US_ASCII));
            }
        } catch (IOException e) {
            // The doctor has disconnected.
        }
    }
}
