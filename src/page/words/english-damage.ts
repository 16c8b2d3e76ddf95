/** The texts about a damaged database. */
export const englishDamage = {
  damage: {
    heading: 'Damaged database',
    title: (time: string | null) =>
      time === null
        ? 'The database was damaged. A new one was begun.'
        : `The database was damaged (${time}). A new one was begun.`,
    allSaved: 'Everything could be saved. The machines run on.',
    lost: (count: number) =>
      count === 1
        ? 'One kind of data could not be saved. The machines run on.'
        : `${count} kinds of data could not be saved. The machines run on.`,
    open: 'What was lost',
    everything: 'All of it',
    table: (table: string) =>
      ({
        plant: 'Machines, people, keys, reasons',
        alert_setting: 'Rules of alerts, channels, and who is told',
        alert: 'Alerts',
        alert_message: 'Messages of alerts that waited',
        person_session: 'Who is signed in',
        coil: 'Coils',
        task: 'Tasks',
        profile: 'Profiles',
        customer_order: 'Orders',
        order_row: 'Rows of orders',
        machine_part: 'Parts that machines make',
        machine_state: 'Counters of machines',
        shift_totals: 'Production by shift',
        shift_summary: 'Sums of shifts',
        production_quarter: 'Production by hour',
        downtime: 'Stops and their reasons',
        span: 'Timelines',
        override_span: 'Overrides',
        work_session: 'Work sessions',
        queue: 'Records for the central server that waited',
        set_aside: 'Records that the central server refused',
        legacy_write: 'Writes to the legacy system that were under way',
        broker_row: 'Messages that MQTT clients wait for',
        sync_stream: 'What the central server has already',
        catalog_subscription: 'Catalogs that machines fetch',
        anomaly: 'Counters that fell',
        audit: 'Who did what',
        variable_block: 'Process variables',
        variable_recent: 'The newest process variables',
        received_machine: 'Machines of other gateways',
        received_session: 'Work sessions of other gateways',
        received_shift: 'Production of other gateways',
      })[table] ?? table,
    liesAt: 'The old file lies at',
    toDo: [
      'Copy the old file to another disk. Look at the disk of the gateway: "plantgate doctor" checks it.',
      'Where what was lost is needed, stop the gateway and put the last backup back: "plantgate restore FILE".',
      'Then delete the old file, or move it away. This notice ends with the next start.',
    ],
  },
};
