// SPDX-License-Identifier: Apache-2.0
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;

/** Raises the number of partitions of topics. */
class Grow {
    /** @param arguments the brokers, the number of partitions, and the topics */
    public static void main(String[] arguments) throws Exception {
        try (Admin admin = Admin.create(Map.<String, Object>of("bootstrap.servers", arguments[0]))) {
            var growing = new TreeMap<String, NewPartitions>();
            for (int i = 2; i < arguments.length; i++) {
                growing.put(arguments[i], NewPartitions.increaseTo(Integer.parseInt(arguments[1])));
            }
            admin.createPartitions(growing).all().get();
            System.out.println(growing.keySet() + " have " + arguments[1] + " partitions now");
        }
    }
}
