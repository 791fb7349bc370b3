select * from {{ ref('customers') }} where revenue < 0
